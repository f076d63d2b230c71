// How figures are written, and elements made. Untrusted text is inserted as text, never as markup.

export const at = (id) => document.getElementById(id);

export function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

export function button(className, words, name, onClick) {
  const element = make("button", className, words);
  element.type = "button";
  if (name) element.setAttribute("aria-label", name);
  element.addEventListener("click", onClick);
  return element;
}

export function link(words, address, name) {
  const element = make("a", "", words);
  element.href = address;
  if (name) element.setAttribute("aria-label", name);
  return element;
}
export const jobLink = (job, name) => link(`job ${job}`, `#job=${job}`, `job ${job}${name ? ` ${name}` : ""}`);
export const nodeLink = (node) => link(node, `#node=${encodeURIComponent(node)}`, `node ${node}`);

export const list = (tag, items) => make(tag, "", ...items.map((item) => make("li", "", ...[item].flat())));

export function short(seconds) {
  if (seconds === null) return "–";
  const s = Math.round(seconds);
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m${String(s % 60).padStart(2, "0")}s`;
  if (s < 86400) return `${Math.floor(s / 3600)}h${String(Math.floor((s % 3600) / 60)).padStart(2, "0")}m`;
  return `${Math.floor(s / 86400)}d${String(Math.floor((s % 86400) / 3600)).padStart(2, "0")}h`;
}

export function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; ++unit) value /= 1024;
  return `${value >= 100 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export const decimals = (value) => (value === null ? "–" : value.toFixed(2));
export const amount = (value) => String(Math.round(value * 100) / 100);
// "1 CPU", "0.5 CPUs".
export const counted = (value, word) => `${amount(value)} ${word}${Math.abs(value) === 1 ? "" : "s"}`;
export const places = (nodes) => nodes.map((n) => (n.tasks === 1 ? n.node : `${n.node}:${n.tasks}`)).join(", ");
export const counts = (named) =>
  Object.entries(named).filter(([, n]) => n > 0).map(([word, n]) => `${n} ${word}`).join(", ") || "none";

export const tint = (state) =>
  ["running", "completed", "up"].includes(state) ? "good"
    : ["failed", "timed_out", "down", "cancelled", "fenced", "unreachable"].includes(state) ? "bad"
      : ["pending", "starting", "ending"].includes(state) ? "" : "wait";

// A colour for each job, the same wherever it is drawn.
export const hue = (job) => Math.round((job * 137.5) % 360);

export function plainBar(fraction, className) {
  const fill = make("i", "");
  fill.style.width = `${Math.min(100, Math.max(0, fraction * 100))}%`;
  fill.style.display = "block";
  return make("div", `bar ${className}`, fill);
}

// A click goes to what the button of the mouse was pressed on, if that is still there when it is released:
// what is to be drawn meanwhile waits.
let pressed = false;
const waiting = new Map();
addEventListener("pointerdown", () => { pressed = true; }, true);
for (const end of ["pointerup", "pointercancel", "pointermove"])
  addEventListener(end, (event) => { if (pressed && event.buttons === 0) setTimeout(release); }, true);

function release() {
  pressed = false;
  for (const [parent, children] of waiting) draw(parent, children);
  waiting.clear();
}

// Draws the children anew, but leaves the keyboard where it was: on the element of the same name.
export function replace(parent, ...children) {
  if (pressed) waiting.set(parent, children);
  else draw(parent, children);
}

function draw(parent, children) {
  const held = parent.contains(document.activeElement) ? document.activeElement : null;
  const key = held && keyOf(held);
  const text = held && held.tagName === "INPUT" ? held.value : null;
  parent.replaceChildren(...children);
  if (!key) return;
  const again = [...parent.querySelectorAll("button, a, input, select, [tabindex]")].find((each) => keyOf(each) === key);
  if (!again) return;
  if (text !== null) again.value = text;
  again.focus({ preventScroll: true });
}
const keyOf = (element) => `${element.tagName} ${element.id || element.getAttribute("aria-label") || element.textContent}`;
