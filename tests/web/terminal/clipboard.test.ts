import { createRoot } from 'solid-js';
import { describe, expect, it } from 'vitest';
import {
  type ClipboardRequests,
  createClipboardRequests,
} from '../../../apps/web/terminal/clipboard/requests.ts';

interface Clipboard {
  readonly requests: ClipboardRequests;
  readonly copied: string[];
  readonly replies: string[];
}

function setUp(rule: 'ask' | 'allow' | 'deny', { is_blocked = false } = {}): Clipboard {
  const copied: string[] = [];
  const replies: string[] = [];
  const requests = createRoot(() =>
    createClipboardRequests({
      rule: () => rule,
      copy: async (text) => !is_blocked && copied.push(text) > 0,
      read: async () => 'what is in it',
      reply: (text) => void replies.push(text),
    }),
  );
  return { requests, copied, replies };
}

describe('a program that writes to the clipboard', () => {
  it('needs permission once per tab', async () => {
    const { requests, copied } = setUp('ask');
    await requests.write('one');
    expect([copied, requests.pending()]).toEqual([[], { kind: 'write', text: 'one' }]);
    await requests.answer(true);
    await requests.write('two');
    expect([copied, requests.pending()]).toEqual([['one', 'two'], undefined]);
  });

  it('is refused for the tab once it was denied', async () => {
    const { requests, copied } = setUp('ask');
    await requests.write('one');
    await requests.answer(false);
    await requests.write('two');
    requests.read();
    expect([copied, requests.pending()]).toEqual([[], undefined]);
  });

  it.each([
    ['allow', ['one']],
    ['deny', []],
  ] as const)('needs no permission when the setting is to %s', async (rule, expected) => {
    const { requests, copied } = setUp(rule);
    await requests.write('one');
    expect([copied, requests.pending()]).toEqual([expected, undefined]);
  });

  it('waits for a click when the browser requires one', async () => {
    const { requests } = setUp('allow', { is_blocked: true });
    await requests.write('one');
    expect(requests.pending()).toEqual({ kind: 'blocked', text: 'one' });
  });
});

describe('a program that reads the clipboard', () => {
  it('needs permission each time, even where writing is allowed', async () => {
    const { requests, replies } = setUp('allow');
    requests.read();
    await requests.answer(true);
    expect(replies).toEqual(['what is in it']);
    requests.read();
    expect(requests.pending()).toEqual({ kind: 'read' });
    await requests.answer(false);
    expect(replies).toHaveLength(1);
  });

  it('gets no answer where programs may not use the clipboard', () => {
    const { requests } = setUp('deny');
    requests.read();
    expect(requests.pending()).toBeUndefined();
  });
});
