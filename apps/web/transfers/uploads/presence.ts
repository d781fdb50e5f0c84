import { mayStore } from '../../lib/storage.ts';

const ANSWER_MS = 300; // another tab of the same browser answers quickly

export interface Presence {
  /** Ids of uploads that other tabs of this browser handle. */
  others(): Promise<ReadonlySet<string>>;
  close(): void;
}

/** Two tabs must not show the same upload. This tab claims `ids`. */
export function createPresence(name: string, ids: () => readonly string[]): Presence {
  if (!mayStore()) return { others: () => Promise.resolve(new Set()), close: () => undefined };
  const heard = new Set<string>();
  const channel = new BroadcastChannel(`sallyport:${name}:uploads`);
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data === 'who') channel.postMessage(ids());
    else if (Array.isArray(data)) for (const id of data) heard.add(String(id));
  };
  return {
    async others() {
      heard.clear();
      channel.postMessage('who');
      await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
      return heard;
    },
    close: () => channel.close(),
  };
}
