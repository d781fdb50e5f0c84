import { useSearchParams } from '@solidjs/router';
import { useQuery } from '@tanstack/solid-query';
import { createEffect, createMemo, on } from 'solid-js';
import { useApp } from '../app/context.ts';
import { valuesOf } from '../parts/query-bar/read.ts';
import { createQueryState } from '../parts/query-bar/state.ts';
import { createRecordingKeys, recordingConditions, textOf } from './query.ts';
import { recordingsQuery } from './recordings.ts';
import { SHORTEST_TEXT } from './search/address.ts';
import { joinFound } from './search/list.ts';
import { createRecordingSearch } from './search/search.ts';

/** The recordings that the page's address asks for. Names are searched at once, terminal output after Enter. */
export function createRecordingList(everybody: () => boolean) {
  const { client, session } = useApp();
  const { keys, servers } = createRecordingKeys(everybody());
  const state = createQueryState(keys);
  const [params, setParams] = useSearchParams();
  const page = () => Math.max(0, Math.trunc(Number([params['page']].flat()[0])) || 0);
  const own = () => session.user()?.username ?? '';
  const text = createMemo(() => textOf(state.query()));
  const conditions = createMemo(() => ({
    ...recordingConditions(state.query(), servers() ?? []),
    ...(everybody() ? {} : { username: own() }),
  }));
  /** The API wants the id of a server. */
  const is_known = () => servers() !== undefined || valuesOf(state.query(), 'server').length === 0;
  const query = useQuery(() => ({
    ...recordingsQuery(client, { ...conditions(), ...(text() === '' ? {} : { search: text() }) }, page()),
    enabled: is_known(),
  }));
  const search = createRecordingSearch();
  const is_searchable = () => text().length >= SHORTEST_TEXT;
  const asked = createMemo(() =>
    is_searchable() && is_known() && state.is_finished()
      ? JSON.stringify({ ...conditions(), text: text() })
      : undefined,
  );
  createEffect(
    on(asked, (wanted) => (wanted === undefined ? search.clear() : search.run(JSON.parse(wanted)))),
  );
  const rows = createMemo(() => {
    const found = page() === 0 && asked() !== undefined ? (search.state()?.found ?? []) : [];
    return joinFound(query.data?.recordings ?? [], found);
  });
  return {
    keys,
    state,
    query,
    search,
    rows,
    text,
    is_waiting: () => is_searchable() && !state.is_finished(),
    goTo: (to: number) => setParams({ page: to > 0 ? String(to) : undefined }),
    goOn: (to: string) => search.run({ ...conditions(), text: text(), to }, true),
  };
}
