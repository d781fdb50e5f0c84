import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { TextKey } from '../../i18n/languages.ts';
import type { TerminalController } from '../controller.ts';
import type { ClipboardRequest } from './requests.ts';

const TITLES = {
  write: 'clipboard_write',
  blocked: 'clipboard_blocked',
  read: 'clipboard_read',
} as const satisfies Record<string, TextKey>;
const PREVIEW_LETTERS = 60;

/** A program's clipboard request. The terminal keeps the focus. */
export function TerminalClipboard(props: { controller: TerminalController; name: string }) {
  const { t } = useApp();
  const answer = (is_allowed: boolean) => {
    void props.controller.clipboard.answer(is_allowed);
    props.controller.focus();
  };
  return (
    <Show when={props.controller.clipboard.pending()}>
      {(request) => (
        <div class="banner" role="alert">
          <p class="banner-text">
            <strong>{t(TITLES[request().kind], { name: props.name })}</strong>
            <Show when={textOf(request())}>{(text) => <code class="banner-quote">{text()}</code>}</Show>
          </p>
          <div class="banner-actions">
            <button type="button" class="button" onClick={() => answer(true)}>
              {t(request().kind === 'blocked' ? 'clipboard_copy' : 'clipboard_allow')}
            </button>
            <button type="button" class="button button-quiet" onClick={() => answer(false)}>
              {t(request().kind === 'blocked' ? 'dismiss' : 'clipboard_deny')}
            </button>
          </div>
        </div>
      )}
    </Show>
  );
}

function textOf(request: ClipboardRequest): string | undefined {
  if (request.kind === 'read') return undefined;
  const { text } = request;
  return text.length > PREVIEW_LETTERS ? `${text.slice(0, PREVIEW_LETTERS)}…` : text;
}
