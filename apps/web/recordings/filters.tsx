import { useQuery } from '@tanstack/solid-query';
import { Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { createTyped } from '../lib/typed.ts';
import { Field } from '../parts/fields/field.tsx';
import { UserFilter } from '../parts/fields/user-filter.tsx';
import { ServerChoice } from '../servers/server-choice.tsx';
import { serversQuery } from '../servers/servers.ts';
import { ALL_RECORDINGS, isFiltered, type RecordingFilter } from './recordings.ts';

interface Props {
  readonly filter: RecordingFilter;
  readonly onChange: (part: Partial<RecordingFilter>) => void;
}

/** For administrators, who search all users' recordings. */
export function RecordingFilters(props: Props) {
  const { client, t } = useApp();
  const servers = useQuery(() => serversQuery(client));
  const search = createTyped(
    () => props.filter.search,
    (text) => props.onChange({ search: text }),
  );
  return (
    <search class="recording-filters" aria-label={t('filters')}>
      <Field
        label={t('search')}
        description={t('recordings_search_hint')}
        value={search.text()}
        onChange={search.type}
        input={{ type: 'search', autocomplete: 'off', maxlength: 200 }}
      />
      <UserFilter username={props.filter.username} onChange={(username) => props.onChange({ username })} />
      <ServerChoice
        label={t('server')}
        value={props.filter.server_id}
        servers={servers.data ?? []}
        none={t('recordings_every_server')}
        onChange={(server_id) => props.onChange({ server_id })}
      />
      <Field
        label={t('since')}
        value={props.filter.since}
        onChange={(since) => props.onChange({ since })}
        input={{ type: 'date' }}
      />
      <Field
        label={t('until')}
        value={props.filter.until}
        onChange={(until) => props.onChange({ until })}
        input={{ type: 'date' }}
      />
      <Show when={isFiltered(props.filter)}>
        <button type="button" class="button" onClick={() => props.onChange(ALL_RECORDINGS)}>
          {t('clear_filters')}
        </button>
      </Show>
    </search>
  );
}
