import { createEffect, on } from 'solid-js';
import type { OwnLists } from '../servers/own-lists.ts';
import type { Tabs } from '../workspace/tabs/tabs.ts';

/** Remembers on which servers tabs are opened, however that happens. */
export function noteOpened(tabs: Tabs, own: OwnLists): void {
  const ids = () => tabs.list.map(({ id }) => id);
  createEffect(
    on(ids, (present, before) => {
      for (const tab of tabs.list) {
        const is_new = before?.includes(tab.id) === false && present.includes(tab.id);
        if (is_new && tab.server_id > 0) own.noteOpened(tab.server_id);
      }
    }),
  );
}
