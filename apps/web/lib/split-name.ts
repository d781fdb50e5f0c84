const SHORT_LENGTH = 8; // such a name fits the narrowest tab
const TAIL_LENGTH = 7;

/** The beginning of a name, which may be cut, and its end, which stays: names often differ only in their last letters. */
export function splitName(name: string): { readonly head: string; readonly tail: string } {
  const letters = [...name];
  if (letters.length <= SHORT_LENGTH) return { head: '', tail: name };
  return { head: letters.slice(0, -TAIL_LENGTH).join(''), tail: letters.slice(-TAIL_LENGTH).join('') };
}
