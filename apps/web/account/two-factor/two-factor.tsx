import { useQuery, useQueryClient } from '@tanstack/solid-query';
import ShieldCheck from 'lucide-solid/icons/shield-check';
import TriangleAlert from 'lucide-solid/icons/triangle-alert';
import { createSignal, Match, Show, Switch } from 'solid-js';
import { take } from '#client/client.ts';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { QueryState } from '../../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { SectionTitle } from '../../workspace/screens/section-title.tsx';
import { FEW_CODES, type TotpSetup, totpQuery } from '../account.ts';
import { CodeForm } from './code-form.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { TwoFactorSetup } from './setup.tsx';

type Step =
  | { readonly kind: 'state' }
  | { readonly kind: 'setup'; readonly setup: TotpSetup }
  | { readonly kind: 'codes'; readonly codes: readonly string[] };

/** Two-factor authentication: its state, its setup, and the recovery codes that are shown once. */
export function AccountTwoFactor() {
  const { client, session, t } = useApp();
  const queries = useQueryClient();
  const state = useQuery(() => totpQuery(client));
  const [step, setStep] = createSignal<Step>({ kind: 'state' });
  const setup = () => pick(step(), 'setup')?.setup;
  const codes = () => pick(step(), 'codes')?.codes;

  async function refresh(): Promise<void> {
    session.verify();
    await queries.invalidateQueries({ queryKey: totpQuery(client).queryKey });
  }

  function showCodes(fresh: readonly string[]): void {
    setStep({ kind: 'codes', codes: fresh });
    void refresh();
  }

  return (
    <section class="section" aria-labelledby="two-factor-title">
      <SectionTitle id="two-factor-title" text={t('two_factor')} />
      <Switch>
        <Match when={codes()}>
          {(fresh) => <RecoveryCodes codes={fresh()} onKept={() => setStep({ kind: 'state' })} />}
        </Match>
        <Match when={setup()}>
          {(begun) => (
            <TwoFactorSetup setup={begun()} onCodes={showCodes} onCancel={() => setStep({ kind: 'state' })} />
          )}
        </Match>
        <Match when={true}>
          <QueryState query={state} failure={t('two_factor_failed')}>
            {(known) => (
              <Show
                when={known().enabled}
                fallback={<TwoFactorOff onSetup={(begun) => setStep({ kind: 'setup', setup: begun })} />}
              >
                <TwoFactorOn
                  codes_left={known().recovery_codes_left}
                  onCodes={showCodes}
                  onDisabled={refresh}
                />
              </Show>
            )}
          </QueryState>
        </Match>
      </Switch>
    </section>
  );
}

function pick<K extends Step['kind']>(step: Step, kind: K): Extract<Step, { kind: K }> | undefined {
  const isKind = (candidate: Step): candidate is Extract<Step, { kind: K }> => candidate.kind === kind;
  return isKind(step) ? step : undefined;
}

function TwoFactorOff(props: { onSetup: (setup: TotpSetup) => void }) {
  const { client, t } = useApp();
  const why = useReadOnlyReason();
  const attempt = createAttempt();
  const begin = () =>
    attempt.run(async () => props.onSetup(await take(client.http.POST('/api/auth/totp/setup'))));
  return (
    <>
      <p class="section-lead">{t('two_factor_off')}</p>
      <ReadOnlyNote />
      <Show when={attempt.error()}>
        <Trouble title={t('two_factor_not_set_up')} error={attempt.error()} compact />
      </Show>
      <ReasonButton
        class="button button-primary"
        why={why()}
        busy={attempt.busy()}
        onPress={() => void begin()}
      >
        {t('set_up_two_factor')}
      </ReasonButton>
    </>
  );
}

interface OnProps {
  readonly codes_left: number;
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onDisabled: () => Promise<void>;
}

function TwoFactorOn(props: OnProps) {
  const { t } = useApp();
  const [asking, setAsking] = createSignal<'renew' | 'disable'>();
  const stop = () => setAsking(undefined);
  return (
    <>
      <p class="outcome good">
        <ShieldCheck size={17} aria-hidden="true" /> {t('two_factor_on')}
      </p>
      <p class={props.codes_left <= FEW_CODES ? 'outcome bad' : 'outcome'}>
        <Show when={props.codes_left <= FEW_CODES}>
          <TriangleAlert size={17} aria-hidden="true" />
        </Show>
        {t('recovery_codes_left', { count: props.codes_left })}
        <Show when={props.codes_left <= FEW_CODES}> {t('recovery_codes_few')}</Show>
      </p>
      <Switch fallback={<Choices onChoose={setAsking} />}>
        <Match when={asking() === 'renew'}>
          <Renew onCodes={props.onCodes} onCancel={stop} />
        </Match>
        <Match when={asking() === 'disable'}>
          <Disable onDisabled={props.onDisabled} onCancel={stop} />
        </Match>
      </Switch>
    </>
  );
}

function Choices(props: { onChoose: (choice: 'renew' | 'disable') => void }) {
  const { t } = useApp();
  const why = useReadOnlyReason();
  return (
    <>
      <ReadOnlyNote />
      <div class="actions fit">
        <ReasonButton why={why()} onPress={() => props.onChoose('renew')}>
          {t('renew_recovery_codes')}
        </ReasonButton>
        <ReasonButton why={why()} onPress={() => props.onChoose('disable')}>
          {t('disable_two_factor')}
        </ReasonButton>
      </div>
    </>
  );
}

function Renew(props: { onCodes: (codes: readonly string[]) => void; onCancel: () => void }) {
  const { client, t } = useApp();
  async function renew(code: string): Promise<void> {
    const answer = client.http.POST('/api/auth/totp/recovery-codes', { body: { code } });
    props.onCodes((await take(answer)).recovery_codes);
  }
  return (
    <CodeForm
      description={t('renew_recovery_codes_text')}
      action={t('renew_recovery_codes')}
      failure={t('recovery_codes_not_renewed')}
      onCode={renew}
      onCancel={props.onCancel}
    />
  );
}

function Disable(props: { onDisabled: () => Promise<void>; onCancel: () => void }) {
  const { client, t } = useApp();
  async function disable(code: string): Promise<void> {
    await client.http.POST('/api/auth/totp/disable', { body: { code } });
    await props.onDisabled();
  }
  return (
    <CodeForm
      description={t('disable_two_factor_text')}
      action={t('disable_two_factor')}
      danger
      failure={t('two_factor_not_disabled')}
      onCode={disable}
      onCancel={props.onCancel}
    />
  );
}
