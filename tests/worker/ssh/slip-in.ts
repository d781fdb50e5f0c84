import type { Connection } from 'ssh2';

interface Insides {
  /** The cipher of the first key exchange encrypts nothing. */
  readonly _protocol: { readonly _cipher: { _onWrite: (bytes: Buffer) => void } };
}

const NEWKEYS = 21;

/** Like a man in the middle: sends this in clear before NEWKEYS, and the host does not count it. */
export function slipIn(client: Connection, bytes: Buffer): void {
  const { _cipher } = (client as unknown as Insides)._protocol;
  const write = _cipher._onWrite;
  _cipher._onWrite = (sent) => {
    if (sent[5] === NEWKEYS) write(bytes);
    write(sent);
  };
}
