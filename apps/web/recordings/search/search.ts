import { createSignal, onCleanup } from 'solid-js';
import {
  type RecordingSearch,
  type RecordingSearchEvent,
  searchRecordings,
} from '#client/recording-search.ts';
import { useApp } from '../../app/context.ts';

export type Found = Extract<RecordingSearchEvent, { type: 'found' }>;
type Done = Extract<RecordingSearchEvent, { type: 'done' }>;

export interface State {
  readonly found: readonly Found[];
  readonly searched: number;
  readonly total: number | undefined;
  readonly done: Done | undefined;
}

const NOTHING: State = { found: [], searched: 0, total: undefined, done: undefined };

export type TextSearch = ReturnType<typeof createRecordingSearch>;

/** One search at a time through what terminals showed. */
export function createRecordingSearch() {
  const { client } = useApp();
  const [state, setState] = createSignal<State>();
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal<unknown>();
  let present = new AbortController();
  onCleanup(() => present.abort());

  async function follow(asked: RecordingSearch, { signal }: AbortController): Promise<void> {
    try {
      for await (const event of searchRecordings(client, asked, { signal }))
        setState((before = NOTHING) => advance(before, event));
    } catch (failure) {
      if (!signal.aborted) setError(failure);
    }
    if (!signal.aborted) setBusy(false);
  }

  function stop(): void {
    present.abort();
    setBusy(false);
  }

  return {
    state,
    busy,
    error,
    stop,
    clear(): void {
      stop();
      setState(undefined);
      setError(undefined);
    },
    /** `is_more` keeps what was found before. */
    run(asked: RecordingSearch, is_more = false): void {
      stop();
      present = new AbortController();
      setError(undefined);
      setState(is_more ? { ...(state() ?? NOTHING), done: undefined } : NOTHING);
      setBusy(true);
      void follow(asked, present);
    },
  };
}

/** A search that goes on begins with the recording at which it stopped, which may be found again. */
export function advance(state: State, event: RecordingSearchEvent): State {
  switch (event.type) {
    case 'found': {
      const is_known = state.found.some(({ recording }) => recording.id === event.recording.id);
      return is_known ? state : { ...state, found: [...state.found, event] };
    }
    case 'progress':
      return { ...state, searched: event.searched, total: event.total };
    case 'done':
      return { ...state, searched: event.searched, done: event };
  }
}
