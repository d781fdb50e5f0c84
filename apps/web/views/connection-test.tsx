import { useQueryClient } from '@tanstack/solid-query';
import CircleCheck from 'lucide-solid/icons/circle-check';
import CircleX from 'lucide-solid/icons/circle-x';
import { createSignal, For, onMount, Show } from 'solid-js';
import { Trouble } from '../parts/trouble.tsx';
import { useApp } from '../state/app-context.ts';
import { type ConnectionTest, type Server, testServer } from '../state/servers.ts';
import './connection-test.css';

/** Runs the test at once and lists what happened, stage by stage. */
export function ConnectionTestView(props: { server: Pick<Server, 'id' | 'name'> }) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const [result, setResult] = createSignal<ConnectionTest>();
  const [error, setError] = createSignal<unknown>();
  const [busy, setBusy] = createSignal(false);

  let root: HTMLDivElement | undefined;

  async function run(): Promise<void> {
    if (busy()) return;
    setBusy(true);
    setError(undefined);
    setResult(undefined);
    try {
      setResult(await testServer(client, props.server.id));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
    await queries.invalidateQueries({ queryKey: ['servers'] }); // a first connection pins the host key
  }
  onMount(() => {
    root?.scrollIntoView({ block: 'nearest' });
    void run().then(() => root?.scrollIntoView({ block: 'nearest' }));
  });

  return (
    <div class="test" aria-busy={busy()} ref={root}>
      <Show when={busy()}>
        <p class="test-busy" role="status">
          <span class="spinner" aria-hidden="true" /> {t('testing')}
        </p>
      </Show>
      <Show when={error()}>
        <Trouble title={t('test_failed')} error={error()} compact />
      </Show>
      <Show when={result()}>
        {(test) => (
          <>
            <p class={`test-verdict ${test().success ? 'good' : 'bad'}`} role="status">
              {test().message}
            </p>
            <Stages test={test()} />
          </>
        )}
      </Show>
      <div class="actions">
        <button type="button" class="button" aria-disabled={busy()} onClick={() => void run()}>
          {t('test_again')}
        </button>
      </div>
    </div>
  );
}

function Stages(props: { test: ConnectionTest }) {
  const { t } = useApp();
  const hops = () => new Set(props.test.stages.map(({ hop }) => hop)).size;
  return (
    <ol class="stages" aria-label={t('stages')}>
      <For each={props.test.stages}>
        {(stage) => (
          <li class="stage">
            <Show
              when={stage.ok}
              fallback={<CircleX class="bad" size={17} role="img" aria-label={t('stage_failed')} />}
            >
              <CircleCheck class="good" size={17} role="img" aria-label={t('stage_ok')} />
            </Show>
            <span class="stage-name">
              {t(`stage_${stage.name}`)}
              <Show when={hops() > 1}>
                <span class="stage-hop"> {stage.hop}</span>
              </Show>
            </span>
            <span class="stage-detail">{stage.detail}</span>
            <span class="stage-ms">{t('milliseconds', { ms: Math.round(stage.ms) })}</span>
          </li>
        )}
      </For>
    </ol>
  );
}
