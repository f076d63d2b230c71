// The package is CommonJS with a default export: both ways of importing it find the component.
const scrollbars = require('./node_modules/react-custom-scrollbars-2/lib/index.js');
module.exports = scrollbars.default || scrollbars;
module.exports.Scrollbars = scrollbars.Scrollbars;
