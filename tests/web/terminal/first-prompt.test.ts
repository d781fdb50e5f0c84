import { describe, expect, it } from 'vitest';
import { createTypedNews } from '../../../apps/web/terminal/handle.ts';
import { createWaitingInput } from '../../../apps/web/terminal/opening/first-prompt.ts';

/** A terminal tab in which something is waiting for the first prompt. */
function openTab(how: 'propose' | 'send') {
  const done: string[] = [];
  const waiting = new Set<() => void>();
  const typed = createTypedNews();
  const { begin, follow } = createWaitingInput({
    typed,
    propose: (text) => void done.push(`propose ${text}`),
    send: (text) => void done.push(`send ${text}`),
    onDropped: (_input, why) => void done.push(`dropped: ${why}`),
  });
  let is_strict = false;
  const whenPrompting = (call: () => void, options: { is_strict: boolean }) => {
    is_strict = options.is_strict;
    waiting.add(call);
    return () => void waiting.delete(call);
  };
  begin({ how, text: 'reboot' }, { whenPrompting });
  return {
    done,
    typed,
    is_strict: () => is_strict,
    be: follow,
    prompt: () => [...waiting].forEach((call) => void call()),
  };
}

describe('A command for the first prompt', () => {
  it('is sent once, and to what is surely a prompt', () => {
    const { done, be, prompt, is_strict } = openTab('send');
    expect(is_strict()).toBe(true);
    expect(openTab('propose').is_strict()).toBe(false);
    be('open');
    prompt();
    prompt();
    expect(done).toEqual(['send reboot']);
  });

  it('is not sent once the user has typed', () => {
    const { done, be, typed, prompt } = openTab('send');
    be('open');
    typed.tell('x');
    prompt();
    expect(done).toEqual(['dropped: typed']);
  });

  it('survives an interruption, but is not sent to a shell that is opened again', () => {
    const { done, be, prompt } = openTab('send');
    for (const kind of ['open', 'reconnecting', 'over'] as const) be(kind);
    prompt();
    expect(done).toEqual([]);
    be('connecting');
    be('open');
    prompt();
    expect(done).toEqual(['dropped: ended']);
    const other = openTab('send');
    for (const kind of ['open', 'reconnecting', 'open'] as const) other.be(kind);
    other.prompt();
    expect(other.done).toEqual(['send reboot']);
  });

  it('that nobody runs waits for a shell that is opened again', () => {
    const { done, be, prompt } = openTab('propose');
    for (const kind of ['over', 'open'] as const) be(kind);
    prompt();
    expect(done).toEqual(['propose reboot']);
  });
});
