/** `randomUUID` is missing on pages loaded over plain http. */
export function newTransferId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
