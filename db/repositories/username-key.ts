/** The one spelling under which a name is looked up, whoever typed it. */
export function toUsernameKey(username: string): string {
  return username.normalize('NFC').toLowerCase();
}
