// The part of an address after #, which browsers do not send: the board, who plays, and the moves that were made.

/** The names in a link. `second` says that the opponent moves first, and `opponent` how well it plays. */
const NAMES = ["state", "daily", "seed", "number", "second", "opponent", "moves"];

/** Reads the part of an address after #. */
export function readLink(hash) {
  const found = {};
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [name, ...rest] = part.split("=");
    if (!NAMES.includes(name) || !rest.length) continue;
    const text = rest.join("=");
    try {
      found[name] =
        name === "moves" ? text.split(",").filter(Boolean).map(decodeURIComponent) : decodeURIComponent(text);
    } catch {
      continue; // a cut link, such as one that ends with %
    }
  }
  return found;
}

/** Writes this part. Every character with a special meaning in addresses is encoded. */
export function writeLink(board) {
  const parts = [];
  for (const name of NAMES) {
    const value = board[name];
    if (value === undefined || value === null || value.length === 0) continue;
    parts.push(`${name}=${name === "moves" ? value.map(encode).join(",") : encode(value)}`);
  }
  return parts.length ? `#${parts.join("&")}` : "";
}

/** Encodes as encodeURIComponent does, and also brackets and stars, at which many programs end a link. */
function encode(text) {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
