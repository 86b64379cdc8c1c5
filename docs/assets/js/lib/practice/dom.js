/** Small makers of elements for the practice pages. */

/**
 * An element by its part's name, the hook for styles and tests.
 * @param {string} tag
 * @param {string} name
 */
export function part(tag, name) {
  const element = document.createElement(tag);
  element.dataset.part = name;
  return element;
}

/**
 * @param {string} action
 * @param {string} label
 * @param {() => void} press
 */
export function button(action, label, press) {
  const made = document.createElement("button");
  made.type = "button";
  made.dataset.action = action;
  made.textContent = label;
  made.addEventListener("click", press);
  return made;
}

/** A row of controls. @param {Node[]} children */
export function row(...children) {
  const made = part("div", "row");
  made.append(...children);
  return made;
}

/** Controls that belong together. @param {string} title */
export function group(title) {
  const made = document.createElement("fieldset");
  const legend = document.createElement("legend");
  legend.textContent = title;
  made.append(legend);
  return made;
}
