import Download from 'lucide-solid/icons/download';
import { createSignal, For, onMount } from 'solid-js';
import { CheckField } from '../parts/check-field.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { recoveryFile } from '../state/account.ts';
import { useApp } from '../state/app-context.ts';
import { saveFile } from '../state/save-file.ts';
import '../parts/secret.css';
import './two-factor.css';

interface Props {
  readonly codes: readonly string[];
  readonly onKept: () => void;
}

/** Shown once: one goes on only after saying that they are kept. */
export function RecoveryCodes(props: Props) {
  const { session, t } = useApp();
  const [kept, setKept] = createSignal(false);
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
    </div>
  );
}
