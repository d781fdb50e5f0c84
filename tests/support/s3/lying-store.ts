import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createObjectStore, type ObjectStore } from '#worker/recording/store/object-store.ts';

export type Lie = (request: IncomingMessage, response: ServerResponse) => void;

/** A foreign store that answers reads as the test says, whatever it should hold. */
export interface LyingStore {
  readonly objects: ObjectStore;
  /** Answers each request from now on. */
  tell(lie: Lie): void;
  stop(): Promise<void>;
}

export async function startLyingStore(): Promise<LyingStore> {
  let answer: Lie = (_request, response) => response.writeHead(404).end();
  const server = createServer((request, response) => answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // TCP
  return {
    objects: createObjectStore({
      ...{ bucket: 'recordings', region: 'eu-test-1', prefix: '', force_path_style: true },
      endpoint: `http://127.0.0.1:${port}`,
      credentials: { access_key_id: 'AKIDTEST', secret_access_key: 'secret' },
    }),
    tell(lie) {
      answer = lie;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The first and the last byte that a request asks for. */
export function rangeIn({ headers }: IncomingMessage): { first: number; last: number } {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  return { first: Number(first), last: Number(last) };
}
