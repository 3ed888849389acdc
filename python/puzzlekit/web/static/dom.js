// Short ways to find and to make elements. Texts are put in as texts, never as markup.

/** The element with an id. */
export const byId = (id) => document.getElementById(id);

/** The JSON data in an element of the page. */
export const given = (element) => JSON.parse(element.textContent);

/** A folder of files: its pages by their text ids, and the path up to it; null on a server. */
export const site = byId("site") && given(byId("site"));

/** The address of a page about a puzzle; nothing if the site has no such page. */
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
