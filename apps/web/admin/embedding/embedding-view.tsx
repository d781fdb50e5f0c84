import { A } from '@solidjs/router';
import { queryOptions, useQuery } from '@tanstack/solid-query';
import TriangleAlert from 'lucide-solid/icons/triangle-alert';
import { createSignal, For, type ParentProps, Show } from 'solid-js';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import { useApp } from '../../app/context.ts';
import { CodeSample } from '../../parts/code-sample.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import { Fact, Facts } from '../../parts/table/drawer.tsx';
import { ServerChoice } from '../../servers/server-choice.tsx';
import { serversQuery } from '../../servers/servers.ts';
import { SectionTitle } from '../../workspace/screens/section-title.tsx';
import { exampleCommand, mintCommand, scriptTag } from './samples.ts';
import './embedding.css';

type Setup = Schemas['EmbedSetup'];

function setupQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['embedding'],
    queryFn: ({ signal }) => take(client.http.GET('/api/embedding', { signal })),
  });
}

/** How another site shows terminals and files of this gateway. */
export function Embedding() {
  const { client, t } = useApp();
  const setup = useQuery(() => setupQuery(client));
  return (
    <section class="section section-wide" aria-labelledby="embedding-title">
      <SectionTitle id="embedding-title" text={t('embedding')} />
      <p class="section-lead">{t('embedding_lead')}</p>
      <QueryState query={setup} failure={t('embedding_failed')}>
        {(known) => <Steps setup={known()} />}
      </QueryState>
    </section>
  );
}

function Steps(props: { setup: Setup }) {
  const { client, t } = useApp();
  const servers = useQuery(() => serversQuery(client));
  const [chosen, setChosen] = createSignal<number>();
  const server_id = () => chosen() ?? servers.data?.[0]?.id ?? 1;
  const shown = () => ({ base_url: client.url('').href, server_id: server_id() });
  return (
    <ol class="embedding-steps">
      <Sites setup={props.setup} />
      <Step title={t('embedding_user')} text={t('embedding_user_text')}>
        <p>
          <A href="/admin/users">{t('users')}</A> · <A href="/account/api-keys">{t('api_keys')}</A>
        </p>
      </Step>
      <Step title={t('embedding_ticket')} text={t('embedding_ticket_text')}>
        <ServerChoice
          label={t('embedding_server')}
          servers={servers.data ?? []}
          value={server_id()}
          onChange={setChosen}
        />
        <CodeSample code={mintCommand(shown())} copy_label={t('embedding_copy_command')} />
      </Step>
      <Step title={t('embedding_page')} text={t('embedding_page_text')}>
        <CodeSample code={scriptTag(shown(), props.setup.integrity)} copy_label={t('embedding_copy_tag')} />
      </Step>
      <Step title={t('embedding_example')} text={t('embedding_example_text')}>
        <CodeSample code={exampleCommand(shown())} copy_label={t('embedding_copy_command')} />
      </Step>
      <li class="embedding-step">
        <p>
          <a href={client.url('docs').href} target="_blank" rel="noopener">
            {t('embedding_api')}
          </a>{' '}
          ·{' '}
          <a href={client.url('embed/sallyport.d.ts').href} target="_blank" rel="noopener">
            {t('embedding_types')}
          </a>
        </p>
        <p class="field-hint">
          <a href={client.url('/help/embedding.html').href} target="_blank" rel="noopener">
            {t('embedding_guide')}
          </a>
        </p>
      </li>
    </ol>
  );
}

function Step(props: ParentProps<{ title: string; text: string }>) {
  return (
    <li class="embedding-step">
      <h4 class="section-title">{props.title}</h4>
      <p class="section-lead">{props.text}</p>
      {props.children}
    </li>
  );
}

/** The sites that are allowed, or what to do when there is none. */
function Sites(props: { setup: Setup }) {
  const { t } = useApp();
  return (
    <Step title={t('embedding_sites')} text={t('embedding_sites_text')}>
      <Facts>
        <Fact label={t('embedding_origins')}>
          <Origins origins={props.setup.allowed_origins} none={t('embedding_origins_none')} />
        </Fact>
        <Fact label={t('embedding_frames')}>
          <Origins origins={props.setup.frame_ancestors} none={t('embedding_frames_none')} />
        </Fact>
      </Facts>
      <Show when={props.setup.allowed_origins.length === 0}>
        <p class="note note-warning">
          <TriangleAlert size={16} aria-hidden="true" /> <span>{t('embedding_allow')}</span>
        </p>
        <A class="button" href="/admin/settings?key=allowed_origins">
          {t('embedding_to_settings')}
        </A>
      </Show>
    </Step>
  );
}

function Origins(props: { origins: readonly string[]; none: string }) {
  return (
    <For each={props.origins} fallback={props.none}>
      {(origin) => (
        <>
          <code>{origin}</code>{' '}
        </>
      )}
    </For>
  );
}
