/** What a terminal needs of a WebSocket, so that those of packages fit too. */
export interface PlainSocket {
  binaryType: string;
  readonly readyState: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number): void;
}

export type SocketConstructor = new (url: string, protocols: string[]) => PlainSocket;
