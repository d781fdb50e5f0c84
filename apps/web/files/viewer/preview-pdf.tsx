import { createSignal, onCleanup, onMount, Show } from 'solid-js';
import { failureOf } from '#client/transport/client-error.ts';
import { load } from '#client/transport/load.ts';
import { useApp } from '../../app/context.ts';
import { formatSize } from '../../lib/format.ts';
import { shownName } from '../../lib/hidden-characters.ts';
import { nameOf } from '../../lib/paths.ts';
import type { OpenFile } from '../open-file.ts';
import type { InlineLink } from './link.ts';

const MAX_BYTES = 64 * 1024 * 1024; // the whole file is held in memory

interface Props {
  readonly files: OpenFile;
  readonly path: string;
  readonly link: InlineLink;
  readonly href: string;
}

/** Shows a PDF from memory: the gateway's responses are sandboxed, and the browser's viewer does not run in a sandbox. */
export function FilePdf(props: Props) {
  const { t, preferences } = useApp();
  const [address, setAddress] = createSignal<string>();
  const [size, setSize] = createSignal<number>();
  const ending = new AbortController();
  const can_show = navigator.pdfViewerEnabled !== false;
  const is_too_large = () => (size() ?? 0) > MAX_BYTES;
  const reason = () =>
    can_show
      ? t('preview_pdf_large', { size: formatSize(size() ?? 0, preferences.values.language) })
      : t('preview_pdf_no_viewer');

  onMount(() => {
    if (!can_show) return;
    fetchPdf(props.href, ending.signal, setSize).then(
      (pdf) => pdf && setAddress(URL.createObjectURL(pdf)),
      (error: unknown) => !ending.signal.aborted && props.link.fail(error),
    );
  });
  onCleanup(() => {
    ending.abort();
    const shown = address();
    if (shown !== undefined) URL.revokeObjectURL(shown);
  });

  return (
    <Show
      when={can_show && !is_too_large()}
      fallback={
        <div class="preview-note">
          <p>{reason()}</p>
          <button
            type="button"
            class="button button-primary"
            onClick={() => void props.files.download(props.path)}
          >
            {t('download')}
          </button>
        </div>
      }
    >
      <Show when={address()} fallback={<p role="status">{t('loading')}</p>}>
        {(src) => <iframe class="preview-pdf" src={src()} title={shownName(nameOf(props.path))} />}
      </Show>
    </Show>
  );
}

/** Undefined if too large. The type is fixed, so that no other content is shown as a page. */
async function fetchPdf(
  href: string,
  signal: AbortSignal,
  onSize: (bytes: number) => void,
): Promise<Blob | undefined> {
  try {
    const response = await load(href, { signal });
    const size = Number(response.headers.get('Content-Length') ?? 0);
    onSize(size);
    if (size <= MAX_BYTES) return new Blob([await response.arrayBuffer()], { type: 'application/pdf' });
    await response.body?.cancel();
    return undefined;
  } catch (error) {
    throw failureOf(error, signal);
  }
}
