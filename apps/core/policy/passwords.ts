import { Fault } from '../errors.ts';

const MIN_LENGTH = 8;
const MAX_LENGTH = 256;

/** What a new password must satisfy, wherever one is set. */
export function assertNewPassword(password: string, username: string): void {
  const message = complaint(password, username);
  if (message) throw new Fault('validation', message, { errors: [{ path: 'new_password', message }] });
}

function complaint(password: string, username: string): string | undefined {
  const length = [...password].length;
  if (length < MIN_LENGTH) return `Password must have at least ${MIN_LENGTH} characters`;
  if (length > MAX_LENGTH) return `Password must have at most ${MAX_LENGTH} characters`;
  if (password.toLowerCase() === username.toLowerCase()) return 'Password must not be the user name';
  if (COMMON.has(password.toLowerCase())) return 'Password is too common';
  return undefined;
}

const COMMON = new Set(
  `
    password password1 password12 password123 passw0rd 12345678 123456789 1234567890 11111111
    00000000 87654321 qwertyui qwerty123 qwertyuiop 1q2w3e4r 1qaz2wsx abcd1234 abc12345 iloveyou
    sunshine princess football baseball superman trustno1 welcome1 letmein1 admin123 adminadmin
    administrator changeme changeme1 changeme123 sallyport sallyport1
  `
    .trim()
    .split(/\s+/),
);
