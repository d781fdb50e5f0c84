import { useQuery } from '@tanstack/solid-query';
import { createSignal, onCleanup, Show } from 'solid-js';
import { type VerificationStart, watchVerification } from '#client/audit-verification.ts';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { formatInstant, formatNumber } from '../../lib/format.ts';
import { MenuItem } from '../../parts/menu.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import {
  type AuditVerdict,
  type AuditVerificationStatus,
  auditVerifiedQuery,
  type VerificationProgress,
} from './audit.ts';

export type Verification = ReturnType<typeof createVerification>;

/** Verifies the log: all of it, or on from where the last verification stopped. Leaving the page stops it; the gateway keeps how far it got. */
export function createVerification() {
  const { client } = useApp();
  const last = useQuery(() => auditVerifiedQuery(client));
  const attempt = createAttempt();
  const [verdict, setVerdict] = createSignal<AuditVerdict>();
  const [progress, setProgress] = createSignal<VerificationProgress>();
  let stopping = new AbortController();
  let is_left = false;
  onCleanup(() => {
    is_left = true;
    stopping.abort();
  });

  async function watch(from: VerificationStart, signal: AbortSignal): Promise<void> {
    try {
      for await (const event of watchVerification(client, from, signal)) {
        if (event.type === 'result') setVerdict(event.result);
        else setProgress(event);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      setProgress(undefined);
      if (!is_left) void last.refetch();
    }
  }

  return {
    attempt,
    verdict,
    progress,
    status: () => last.data,
    stop: () => stopping.abort(),
    verify(from: VerificationStart) {
      if (attempt.busy()) return undefined;
      setVerdict(undefined);
      stopping = new AbortController();
      return attempt.run(() => watch(from, stopping.signal));
    },
  };
}

interface Props {
  readonly verification: Verification;
}

export function VerificationItems(props: Props) {
  const { t } = useApp();
  const { attempt, status, verify } = props.verification;
  return (
    <>
      <MenuItem label={t('verify_chain')} disabled={attempt.busy()} onSelect={() => void verify('start')} />
      <Show when={status()?.verified}>
        {(found) => (
          <MenuItem
            label={t(found().is_complete ? 'verify_new' : 'verify_continue')}
            disabled={attempt.busy()}
            onSelect={() => void verify('checkpoint')}
          />
        )}
      </Show>
    </>
  );
}

/** Nothing until a verification was asked for. */
export function VerificationResult(props: Props) {
  const { t } = useApp();
  const { attempt, progress, stop, verdict } = props.verification;
  return (
    <>
      <Show when={attempt.busy() || verdict()?.ok}>
        <div class="audit-tools">
          <Show when={attempt.busy() && !progress()}>{t('verifying')}</Show>
          <Show when={progress()}>{(now) => <Progress progress={now()} onStop={stop} />}</Show>
          <span role="status">
            <Show when={verdict()?.ok && verdict()}>{(good) => <Verified verdict={good()} />}</Show>
          </span>
        </div>
      </Show>
      <Show when={verdict()?.ok === false && verdict()}>{(bad) => <Broken verdict={bad()} />}</Show>
      <Show when={attempt.error()}>
        <Trouble title={t('audit_not_verified')} error={attempt.error()} compact />
      </Show>
    </>
  );
}

export function LastVerification(props: Props) {
  const { attempt, status } = props.verification;
  return (
    <Show when={!attempt.busy() && status()}>
      {(known) => <Last verified={known().verified} total={known().total} />}
    </Show>
  );
}

function Progress(props: { progress: VerificationProgress; onStop: () => void }) {
  const { preferences, t } = useApp();
  const number = (value: number) => formatNumber(value, preferences.values.language);
  return (
    <>
      <progress max={props.progress.total} value={props.progress.checked} aria-label={t('verifying')} />
      <span>
        {t('verifying_so_far', {
          checked: number(props.progress.checked),
          total: number(props.progress.total),
        })}
      </span>
      <button type="button" class="button" onClick={() => props.onStop()}>
        {t('stop')}
      </button>
    </>
  );
}

/** What the last verification covered, and since when changes could go unnoticed by one that continues it. */
function Last(props: AuditVerificationStatus) {
  const { preferences, t } = useApp();
  const language = () => preferences.values.language;
  const said = () => {
    const { verified, total } = props;
    if (!verified) return undefined;
    const values = {
      count: formatNumber(verified.entries, language()),
      total: formatNumber(total, language()),
      time: formatInstant(verified.verified_at, language()),
      began: formatInstant(verified.began_at, language()),
    };
    return t(verified.is_complete ? 'verified_last' : 'verified_part', values);
  };
  return <Show when={said()}>{(text) => <p class="audit-verified">{text()}</p>}</Show>;
}

function Verified(props: { verdict: AuditVerdict }) {
  const { preferences, t } = useApp();
  const number = (count: number) => formatNumber(count, preferences.values.language);
  const counted = (count: number) => ({ count: number(count) });
  const said = () => {
    const { entries, verified_before, checkpoint } = props.verdict;
    const all = counted(entries);
    if (verified_before) return t('chain_continued', { ...all, before: number(verified_before.entries) });
    if (!checkpoint) return t('chain_verified', all);
    const time = formatInstant(checkpoint.until, preferences.values.language);
    return t('chain_verified_after', { ...all, time });
  };
  const hint = () =>
    props.verdict.restored > 0 ? t('chain_restored', counted(props.verdict.restored)) : undefined;
  return (
    <span class="badge badge-good" title={hint()}>
      {said()}
    </span>
  );
}

function Broken(props: { verdict: AuditVerdict }) {
  const { t } = useApp();
  const reason = () => props.verdict.reason;
  return (
    <div class="broken" role="alert">
      <p class="trouble-title">
        {props.verdict.first_bad_id === null
          ? t('chain_broken')
          : t('chain_broken_at', { id: props.verdict.first_bad_id })}
      </p>
      <Show when={reason()}>{(word) => <p>{t(`chain_${word()}`)}</p>}</Show>
      <p class="trouble-hint">{t('chain_broken_next')}</p>
    </div>
  );
}
