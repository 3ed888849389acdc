// The form in which a person types other parameters of a puzzle.

/** The text id of a puzzle with other parameters, from the fields of a form. */
export function withParameters(id, form) {
  const fields = [...form.elements].filter(({ name }) => name);
  const values = fields.map(
    (field) => `${field.name}=${field.type === "checkbox" ? field.checked : field.value.trim()}`,
  );
  return values.length ? `${id}:${values.join(",")}` : id;
}
