// Short ways to find and to make elements. Texts are put in as texts, never as markup.

/** The element with an id. */
export const byId = (id) => document.getElementById(id);

/** The data that the page came with. */
export const given = (element) => JSON.parse(element.textContent);

/** A folder of files has this in its pages: its pages by their text ids, and the way up to it. A server has not. */
export const site = byId("site") && given(byId("site"));

/** The address of a page about a puzzle; nothing if a folder of files has none. */
export function pageOf(text, kind = "play") {
  if (!site) return `/${kind}/${encodeURIComponent(text)}`;
  return Object.hasOwn(site.pages, text) ? `${site.up}${kind}/${site.pages[text]}.html` : null;
}

/** A new element with attributes and children. A text is a child, too. */
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** A new element of a picture. */
export function drawn(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}
