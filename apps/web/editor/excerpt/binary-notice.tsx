import FileIcon from 'lucide-solid/icons/file';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { OpenFile } from '../../files/open-file.ts';
import { InsteadOfFile } from '../../files/viewer/instead.tsx';
import { formatSize } from '../../lib/format.ts';
import { nameOf } from '../../lib/paths.ts';
import { Name } from '../../parts/name.tsx';

interface Props {
  readonly files: OpenFile;
  readonly path: string;
  readonly size: number | undefined;
}

/** Says what a file is that is not text, and offers the download. That is not an error. */
export function BinaryNotice(props: Props) {
  const { preferences, t } = useApp();
  const leave = () => props.files.close();
  const ending = () => /[^.]\.([a-z0-9]{1,10})$/i.exec(nameOf(props.path))?.[1]?.toUpperCase();
  return (
    <InsteadOfFile files={props.files} path={props.path}>
      <div class="binary-notice" role="status">
        <FileIcon size={28} aria-hidden="true" />
        <p class="binary-name">
          <Name text={nameOf(props.path)} />
        </p>
        <p>{t('binary_text')}</p>
        <dl class="facts">
          <dt>{t('files_kind')}</dt>
          <dd>{ending() ? t('binary_type_of', { ending: ending() ?? '' }) : t('binary_type_unknown')}</dd>
          <Show when={props.size}>
            {(size) => (
              <>
                <dt>{t('column_size')}</dt>
                <dd>{formatSize(size(), preferences.values.language)}</dd>
              </>
            )}
          </Show>
        </dl>
      </div>
      <div class="binary-actions">
        <button
          type="button"
          class="button button-primary"
          onClick={() => void props.files.download(props.path)}
        >
          {t('download')}
        </button>
        <button type="button" class="button" onClick={leave}>
          {t('back_to_list')}
        </button>
      </div>
    </InsteadOfFile>
  );
}
