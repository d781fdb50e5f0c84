import { type BeforeLeaveEventArgs, useBeforeLeave } from '@solidjs/router';
import Download from 'lucide-solid/icons/download';
import { createSignal, For, onMount, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { askBeforeUnload } from '../../lib/before-unload.ts';
import { saveFile } from '../../lib/save-file.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { CheckField } from '../../parts/fields/check.tsx';
import { recoveryFile } from '../account.ts';
import '../../parts/secret.css';
import './two-factor.css';

interface Props {
  readonly codes: readonly string[];
  readonly onKept: () => void;
}

/** Shows the recovery codes once; continuing requires a confirmation that they were saved. */
export function RecoveryCodes(props: Props) {
  const { session, t } = useApp();
  const [kept, setKept] = createSignal(false);
  const leaving = createLeaveQuestion(kept);
  let heading: HTMLHeadingElement | undefined;
  onMount(() => heading?.focus());
  const file = () =>
    recoveryFile(t('recovery_file_title', { username: session.user()?.username ?? '' }), props.codes);
  const save = () =>
    saveFile('sallyport-recovery-codes.txt', new Blob([file()], { type: 'text/plain;charset=utf-8' }));
  return (
    <div class="setup">
      <h4 class="section-title" tabIndex={-1} ref={heading}>
        {t('recovery_codes')}
      </h4>
      <p class="section-lead">{t('recovery_codes_text')}</p>
      <ul class="codes" aria-label={t('recovery_codes')}>
        <For each={props.codes}>
          {(code) => (
            <li>
              <code>{code}</code>
            </li>
          )}
        </For>
      </ul>
      <div class="copy">
        <CopyButton text={props.codes.join('\n')} label={t('copy_codes')} />
        <button type="button" class="button" onClick={save}>
          <Download size={15} aria-hidden="true" /> {t('download_codes')}
        </button>
      </div>
      <CheckField label={t('codes_kept')} checked={kept()} onChange={setKept} />
      <button type="button" class="button button-primary" disabled={!kept()} onClick={props.onKept}>
        {t('go_on')}
      </button>
      <Show when={leaving.asked()}>
        <Confirm
          title={t('codes_leave_title')}
          text={t('codes_leave_text')}
          action={t('codes_leave')}
          danger
          onConfirm={leaving.leave}
          onClose={leaving.stay}
        />
      </Show>
    </div>
  );
}

/** Asks before leaving without saving the codes; on unload the browser asks. */
function createLeaveQuestion(kept: () => boolean) {
  const [asked, ask] = createSignal<BeforeLeaveEventArgs>();
  useBeforeLeave((event) => {
    if (kept() || event.defaultPrevented) return;
    event.preventDefault();
    ask(event);
  });
  askBeforeUnload(useApp().place, () => !kept());
  return {
    asked,
    leave: () => asked()?.retry(true),
    stay: () => ask(undefined),
  };
}
