// Without lookalikes: 0 O, 1 l I.
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const GROUPS = 4;
const GROUP_LETTERS = 5; // 20 letters of 56: 116 bits

/** A password that is easy to read out or copy by hand. */
export function randomPassword(): string {
  const group = () => Array.from({ length: GROUP_LETTERS }, randomLetter).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

function randomLetter(): string {
  const limit = 256 - (256 % LETTERS.length); // larger bytes would favour the first letters
  const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
  return byte < limit ? LETTERS.charAt(byte % LETTERS.length) : randomLetter();
}
