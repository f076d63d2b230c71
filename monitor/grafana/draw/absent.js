// Stands for what is bundled but never used here: the code editor.
export default {};
