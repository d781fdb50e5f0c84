/** The field of a form to begin with: the first one that nothing stands in yet. */
export function firstToFill(form: HTMLFormElement): HTMLInputElement | undefined {
  const fields = fieldsOf(form);
  return fields.find(({ value }) => value === '') ?? fields[0];
}

/** For `onKeyDown` of a form: Enter leads to the next field that is still empty, and sends when there is none. */
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
