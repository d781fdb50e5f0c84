import { useQueryClient } from '@tanstack/solid-query';
import { type Accessor, createSignal, onCleanup } from 'solid-js';
import { watchTest } from '#client/event-stream.ts';
import { networkError } from '#client/transport/client-error.ts';
import { useApp } from '../../app/context.ts';
import { advance, giveUp, NOT_BEGUN, type TestProgress } from './progress.ts';

export interface ConnectionTest {
  readonly progress: Accessor<TestProgress>;
  readonly busy: Accessor<boolean>;
  readonly cancelled: Accessor<boolean>;
  /** The test could not be completed. */
  readonly error: Accessor<unknown>;
  run(): Promise<void>;
  cancel(): void;
}

/** Runs connection tests of one server, one at a time; disposing the owner cancels a running test. */
export function createConnectionTest(server_id: number): ConnectionTest {
  const { client } = useApp();
  const queries = useQueryClient();
  const [progress, setProgress] = createSignal(NOT_BEGUN);
  const [busy, setBusy] = createSignal(false);
  const [cancelled, setCancelled] = createSignal(false);
  const [error, setError] = createSignal<unknown>();
  let present = new AbortController();
  onCleanup(() => present.abort());

  async function watch({ signal }: AbortController): Promise<void> {
    try {
      for await (const event of watchTest(client, server_id, { signal }))
        setProgress((known) => advance(known, event));
      if (!progress().verdict) throw networkError(undefined); // the stream ended without a result
    } catch (failure) {
      if (signal.aborted) setCancelled(true);
      else setError(failure);
    }
  }

  return {
    progress,
    busy,
    cancelled,
    error,
    async run() {
      if (busy()) return;
      present = new AbortController();
      setProgress(NOT_BEGUN);
      setCancelled(false);
      setError(undefined);
      setBusy(true);
      await watch(present);
      setProgress(giveUp);
      setBusy(false);
      await queries.invalidateQueries({ queryKey: ['servers'] }); // a first connection pins the host key
    },
    cancel: () => present.abort(),
  };
}
