/** The field to focus first: the first empty one. */
export function firstToFill(form: HTMLFormElement): HTMLInputElement | undefined {
  const fields = fieldsOf(form);
  return fields.find(({ value }) => value === '') ?? fields[0];
}

/** For a form's `onKeyDown`: Enter moves to the next empty field, and submits if there is none. */
export function goToNextEmpty(event: KeyboardEvent & { readonly currentTarget: HTMLFormElement }): void {
  const { target } = event;
  if (event.key !== 'Enter' || event.isComposing || !(target instanceof HTMLInputElement)) return;
  const fields = fieldsOf(event.currentTarget);
  const next = fields.slice(fields.indexOf(target) + 1).find(({ value }) => value === '');
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function fieldsOf(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.querySelectorAll('input')];
}
