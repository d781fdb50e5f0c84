import { type Accessor, createSignal } from 'solid-js';
import type { PreferenceValues } from '../../app/preferences.ts';

/** A program's clipboard request that has not been allowed yet. */
export type ClipboardRequest =
  | { readonly kind: 'write'; readonly text: string }
  /** It may; the browser wants a press before. */
  | { readonly kind: 'blocked'; readonly text: string }
  | { readonly kind: 'read' };

export interface ClipboardRequests {
  readonly pending: Accessor<ClipboardRequest | undefined>;
  write(text: string): Promise<void>;
  read(): void;
  /** Allows writes for the lifetime of the tab, and reads once. */
  answer(is_allowed: boolean): Promise<void>;
}

interface Options {
  readonly rule: () => PreferenceValues['clipboard'];
  /** False if the browser did not allow it. */
  readonly copy: (text: string) => Promise<boolean>;
  readonly read: () => Promise<string>;
  /** Sends the answer to the program that asked. */
  readonly reply: (text: string) => void;
}

export function createClipboardRequests({ rule, copy, read, reply }: Options): ClipboardRequests {
  const [pending, setPending] = createSignal<ClipboardRequest>();
  let answered: boolean | undefined;

  const mayWrite = () => (rule() === 'ask' ? answered : rule() === 'allow');

  async function put(text: string): Promise<void> {
    if (!(await copy(text))) setPending({ kind: 'blocked', text });
  }

  /** If the browser refuses, the request stays pending for the user. */
  async function tell(): Promise<void> {
    const text = await read().catch(() => undefined);
    if (text !== undefined) reply(text);
  }

  return {
    pending,
    async write(text) {
      const is_allowed = mayWrite();
      if (is_allowed === undefined) setPending({ kind: 'write', text });
      else if (is_allowed) await put(text);
    },
    read() {
      if (rule() !== 'deny' && answered !== false && !pending()) setPending({ kind: 'read' });
    },
    async answer(is_allowed) {
      const request = pending();
      setPending(undefined);
      if (request?.kind === 'write') answered = is_allowed;
      if (!request || !is_allowed) return;
      if (request.kind === 'read') await tell();
      else await put(request.text);
    },
  };
}
