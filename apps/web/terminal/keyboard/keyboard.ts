import { createTypedNews, type TypedNews } from '../handle.ts';
import type { OutputQueue } from '../output/queue.ts';
import type { ShellLink } from '../shell-link.ts';
import { createHeldKeys, type HeldKeys } from './held-keys.ts';
import type { KeyBarKey } from './keys.ts';

const INTERRUPT = '\x03';
const ENTER = '\r';

export interface Keyboard {
  readonly keys: HeldKeys;
  readonly typed: TypedNews;
  /** Input from another part of the page, treated as if typed. */
  send(data: string | Uint8Array): void;
  type(data: string | Uint8Array): void;
  press(key: KeyBarKey, application_cursor: boolean): void;
}

/** Passes typed input on to the shell. */
export function createKeyboard(link: ShellLink, queue: OutputQueue): Keyboard {
  const keys = createHeldKeys();
  const typed = createTypedNews();
  function send(data: string | Uint8Array): void {
    if (data === INTERRUPT) queue.interrupt();
    else if (typeof data === 'string' && data.includes(ENTER)) queue.entered();
    link.input(data);
  }
  function sendOwn(data: string | Uint8Array): void {
    send(data);
    typed.tell(data);
  }
  return {
    keys,
    typed,
    send,
    type: (data) => sendOwn(keys.apply(data)),
    press: (key, application_cursor) => sendOwn(keys.sequence(key, application_cursor)),
  };
}
