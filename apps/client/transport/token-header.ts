/** The header that carries a client's token. */
export interface TokenHeader {
  of(token: string): [name: string, value: string];
  /** Whether a proxy with basic authentication needs the `Authorization` header for itself. */
  isSecond(): boolean;
  /** From now on the token is sent in the second header. */
  moveToSecond(): void;
}

export function createTokenHeader(): TokenHeader {
  let is_second = false;
  return {
    of: (token) => [is_second ? 'X-Sallyport-Authorization' : 'Authorization', `Bearer ${token}`],
    isSecond: () => is_second,
    moveToSecond() {
      is_second = true;
    },
  };
}
