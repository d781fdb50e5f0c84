import CircleCheck from 'lucide-solid/icons/circle-check';
import CircleMinus from 'lucide-solid/icons/circle-minus';
import CircleX from 'lucide-solid/icons/circle-x';
import { createMemo, Index, Match, onMount, Show, Switch } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { Translate } from '../../i18n/languages.ts';
import { reasonIn } from '../../i18n/reason.ts';
import { FoldedHopProtection } from '../../parts/protection/hop-protection.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useWorkspace } from '../../workspace/workspace.ts';
import { AcceptKeyButton } from '../host-keys/accept-key.tsx';
import { presentedKey } from '../host-keys/presented.ts';
import type { Server } from '../servers.ts';
import { type ConnectionTest, createConnectionTest } from './connection-test.ts';
import { hopsOf, type ShownStage, type TestedHop, type TestProgress } from './progress.ts';
import './connection-test.css';

interface Props {
  readonly server: Pick<Server, 'id' | 'name' | 'ssh_enabled' | 'sftp_enabled'>;
  /** The user goes to the server that was tested. */
  readonly onOpen: () => void;
}

/** Runs the test on mount and shows the stages as they progress. */
export function ConnectionTestView(props: Props) {
  const { t } = useApp();
  const { tabs } = useWorkspace();
  const test = createConnectionTest(props.server.id);
  let root: HTMLDivElement | undefined;
  let verdict: HTMLParagraphElement | undefined;
  /** Shows as much of the test as fits, and always the verdict. */
  const bringIntoSight = () => {
    for (const element of [root, verdict]) element?.scrollIntoView({ block: 'nearest' });
  };
  const run = () => {
    bringIntoSight();
    void test.run().then(bringIntoSight);
  };
  onMount(run);
  const kindToOpen = () => {
    if (test.progress().verdict?.success !== true) return undefined;
    if (props.server.ssh_enabled) return 'terminal' as const;
    return props.server.sftp_enabled ? ('files' as const) : undefined;
  };
  function open(kind: 'terminal' | 'files'): void {
    props.onOpen();
    tabs.open({ kind, server_id: props.server.id, server_name: props.server.name });
  }

  return (
    <div class="test" aria-busy={test.busy()} ref={root}>
      <p class={`test-verdict ${toneOf(test)}`} role="status" ref={verdict}>
        <Show
          when={test.busy()}
          fallback={verdictOf(test, t) ?? (test.cancelled() ? t('test_cancelled') : '')}
        >
          <span class="spinner" aria-hidden="true" /> {t('testing')}
        </Show>
      </p>
      <Show when={test.error()}>
        <Trouble title={t('test_failed')} error={test.error()} compact />
      </Show>
      <Stages server={props.server} progress={test.progress()} onAccepted={run} />
      <div class="actions">
        {/* One button for both actions, so that it keeps the focus. */}
        <button type="button" class="button" onClick={() => (test.busy() ? test.cancel() : run())}>
          {t(test.busy() ? 'cancel_test' : 'test_again')}
        </button>
        <Show when={kindToOpen()}>
          {(kind) => (
            <button type="button" class="button button-primary" onClick={() => open(kind())}>
              {t(kind() === 'terminal' ? 'test_open_terminal' : 'test_open_files')}
            </button>
          )}
        </Show>
      </div>
    </div>
  );
}

function verdictOf({ progress }: ConnectionTest, t: Translate): string | undefined {
  const verdict = progress().verdict;
  if (!verdict) return undefined;
  const has_jumps = hopsOf(progress().stages).length > 1;
  if (verdict.code === null) return t(has_jumps ? 'test_passed_by_jumps' : 'test_passed');
  return reasonIn(verdict.code, verdict.message, t);
}

function toneOf({ progress }: ConnectionTest): string {
  const verdict = progress().verdict;
  if (!verdict) return '';
  return verdict.success ? 'good' : 'bad';
}

interface StagesProps {
  readonly server: Pick<Server, 'id' | 'name'>;
  readonly progress: TestProgress;
  readonly onAccepted: () => void;
}

function Stages(props: StagesProps) {
  const { t } = useApp();
  const hops = createMemo(() => hopsOf(props.progress.stages));
  const failed = () => props.progress.stages.find(({ state }) => state === 'failed');
  const protectionOf = (name: string) => props.progress.connection.find(({ hop }) => hop === name);
  return (
    <Index each={hops()}>
      {(hop, index) => (
        <section class="hop" aria-label={t('stages_of', { name: hop().hop })}>
          <Show when={hops().length > 1 || hop().hop !== props.server.name}>
            <h3 class="hop-name">
              <span class="hop-nr">{index + 1}</span> {hop().hop}
              <span class="hop-ms">{t('milliseconds', { ms: spentAt(hop()) })}</span>
            </h3>
          </Show>
          <ol class="stages">
            <Index each={hop().stages}>
              {(stage) => <Stage stage={stage()} said={props.progress.verdict?.message} />}
            </Index>
          </ol>
          <Show when={protectionOf(hop().hop)}>
            {(connection) => <FoldedHopProtection connection={connection()} />}
          </Show>
          <Show when={keyChange(failed(), hop())}>
            {(stage) => (
              <div class="hop-way-out">
                <AcceptKeyButton
                  server_id={props.server.id}
                  hop={stage().hop}
                  presented={presentedKey(stage())}
                  onAccepted={props.onAccepted}
                />
              </div>
            )}
          </Show>
        </section>
      )}
    </Index>
  );
}

function keyChange(failed: ShownStage | undefined, { hop }: TestedHop): ShownStage | undefined {
  return failed?.name === 'host_key' && failed.hop === hop ? failed : undefined;
}

function spentAt({ stages }: TestedHop): number {
  return Math.round(stages.reduce((sum, { ms }) => sum + (ms ?? 0), 0));
}

/** `said` is the verdict shown above the stages; a detail that repeats it is left out. */
function Stage(props: { stage: ShownStage; said: string | undefined }) {
  const { t } = useApp();
  const said = () => {
    const { state, code, detail } = props.stage;
    return state === 'failed' ? reasonIn(code, detail, t) : t.phrase(props.stage, detail);
  };
  return (
    <li class="stage">
      <Switch>
        <Match when={props.stage.state === 'running'}>
          <span class="spinner" role="img" aria-label={t('stage_running')} />
        </Match>
        <Match when={props.stage.state === 'passed'}>
          <CircleCheck class="good" size={17} role="img" aria-label={t('stage_ok')} />
        </Match>
        <Match when={props.stage.state === 'failed'}>
          <CircleX class="bad" size={17} role="img" aria-label={t('stage_failed')} />
        </Match>
        <Match when={props.stage.state === 'given_up'}>
          <CircleMinus class="tone-idle" size={17} role="img" aria-label={t('stage_given_up')} />
        </Match>
      </Switch>
      <span class="stage-name">{t(`stage_${props.stage.name}`)}</span>
      <span class="stage-detail">{props.stage.detail === props.said ? '' : said()}</span>
      <Show when={props.stage.banner}>
        <pre class="stage-banner" role="note" aria-label={t('banner_from', { name: props.stage.hop })}>
          {props.stage.banner}
        </pre>
      </Show>
      <Show when={props.stage.ms !== undefined}>
        <span class="stage-ms">{t('milliseconds', { ms: Math.round(props.stage.ms ?? 0) })}</span>
      </Show>
    </li>
  );
}
