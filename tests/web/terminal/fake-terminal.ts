import { createSignal } from 'solid-js';
import type { Participant, TerminalHandle } from '../../../apps/web/open-terminals/terminals.ts';

export interface FakeTerminal {
  readonly handle: TerminalHandle;
  /** What other terminals sent to it. */
  readonly sent: (string | Uint8Array)[];
  type(data: string): void;
  setMode(mode: Participant['mode']): void;
  setSession(id: string | undefined): void;
}

/** An open terminal without a gateway. */
export function fakeTerminal(tab_id: string): FakeTerminal {
  const [session_id, setSession] = createSignal<string | undefined>(`session-${tab_id}`);
  const [mode, setMode] = createSignal<Participant['mode']>('rw');
  const listeners = new Set<(data: string | Uint8Array) => void>();
  const sent: (string | Uint8Array)[] = [];
  return {
    sent,
    setMode,
    setSession,
    type: (data) => listeners.forEach((listener) => void listener(data)),
    handle: {
      tab_id,
      session_id,
      mode,
      server_id: () => 1,
      server_name: () => tab_id,
      role: () => 'owner',
      participants: () => [],
      recording: () => false,
      owner: () => undefined,
      host_key: () => undefined,
      connection: () => [],
      outlives_page: () => true,
      ended: () => false,
      title: () => '',
      directory: () => undefined,
      readable_size: () => undefined,
      copyHtml: async () => undefined,
      saveOutput: async () => undefined,
      clear: () => undefined,
      awaits_finish: () => false,
      setAwaitsFinish: () => undefined,
      selection: () => '',
      screen: () => '',
      propose: () => undefined,
      search: () => undefined,
      send: (data) => void sent.push(data),
      onTyped(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      focus: () => undefined,
    },
  };
}
