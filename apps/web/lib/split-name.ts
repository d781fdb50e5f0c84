const TAIL_LENGTH = 7; // an extension, or a number and what it counts

/** The beginning of a name, which may be cut, and its end, which stays: names often differ only in their last letters. */
export function splitName(
  name: string,
  tail_length = TAIL_LENGTH,
): { readonly head: string; readonly tail: string } {
  const letters = [...name];
  if (letters.length <= tail_length + 1) return { head: '', tail: name };
  return { head: letters.slice(0, -tail_length).join(''), tail: letters.slice(-tail_length).join('') };
}
