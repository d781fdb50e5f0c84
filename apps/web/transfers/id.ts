/** `randomUUID` is missing on pages that came over plain http. */
export function newTransferId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
