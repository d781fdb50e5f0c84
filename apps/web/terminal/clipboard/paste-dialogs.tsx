import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { Translate } from '../../i18n/languages.ts';
import { isMultiline } from '../../lib/clipboard.ts';
import type { CleanText } from '../../lib/controls.ts';
import { useOpenTerminals, useTerminalLabel } from '../../open-terminals/open-terminals.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Lines } from '../../parts/name.tsx';
import type { PasteGuard } from './paste-guard.ts';
import '../../parts/fields/field.css';

const PREVIEW_LETTERS = 2000;

/** Dialogs for a paste: confirm several lines, or paste by hand if the page cannot read the clipboard. */
export function PasteDialogs(props: { paste: PasteGuard; tab_id: string }) {
  const { t } = useApp();
  const reach = useReach();
  const explain = useExplanation();
  const take = (event: ClipboardEvent) => {
    event.preventDefault();
    props.paste.dismiss();
    props.paste.offer(event.clipboardData?.getData('text/plain') ?? '');
  };
  return (
    <>
      <Show when={props.paste.pending()}>
        {(pending) => (
          <Confirm
            title={t(pending().removed.length > 0 ? 'paste_clean_title' : 'paste_title')}
            text={[...explain(pending()), ...reach(props.tab_id)].join(' ')}
            action={t('paste')}
            blocked={pending().text === ''}
            onConfirm={() => props.paste.answer(true)}
            onClose={() => props.paste.answer(false)}
          >
            <pre class="paste-preview">
              <Lines text={pending().text.slice(0, PREVIEW_LETTERS)} />
            </pre>
          </Confirm>
        )}
      </Show>
      <Show when={props.paste.refused()}>
        <Dialog title={t('paste')} description={t('paste_refused')} onClose={props.paste.dismiss}>
          <textarea class="field-input field-area" aria-label={t('paste_here')} rows={3} onPaste={take} />
        </Dialog>
      </Show>
    </>
  );
}

/** Says what was removed, and that several lines may run at once. */
function useExplanation(): (pending: CleanText) => string[] {
  const { t } = useApp();
  return ({ text, removed }) => [
    ...(removed.length > 0 ? [t('paste_clean_text', { names: removed.join(', ') })] : []),
    ...(isMultiline(text) ? [linesText(linesOf(text), t)] : []),
  ];
}

function linesText(lines: number, t: Translate): string {
  return lines === 1 ? t('paste_text_one') : t('paste_text', { lines });
}

/** Names the other terminals that a broadcast sends the paste to. */
function useReach(): (tab_id: string) => string[] {
  const { t } = useApp();
  const { broadcast } = useOpenTerminals();
  const labelOf = useTerminalLabel();
  return (tab_id) => {
    if (!broadcast.has(tab_id)) return [];
    const names = broadcast.members().map(labelOf);
    return [t('paste_reach', { count: names.length, names: names.join(', ') })];
  };
}

function linesOf(text: string): number {
  return text.trimEnd().split(/\r\n|\r|\n/).length;
}
