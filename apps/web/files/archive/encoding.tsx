import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { ARCHIVE_ENCODINGS, encodingName, encodingOptions } from '../../lib/encodings.ts';
import { SelectField } from '../../parts/fields/select.tsx';
import type { ArchiveNames } from './listing.ts';

const AUTOMATIC = '';

interface Props {
  readonly names: ArchiveNames;
  readonly class?: string;
  /** Names as they are with this encoding. */
  readonly preview?: readonly string[] | undefined;
}

/** Offered where the archive does not say how its names are encoded. */
export function NameEncodingField(props: Props) {
  const { t } = useApp();
  const automatic = () => {
    const guess = props.names.guess();
    return guess ? t('archive_encoding_guess', { name: encodingName(guess) }) : t('archive_encoding_auto');
  };
  const options = () => [
    { value: AUTOMATIC, label: automatic() },
    ...encodingOptions(
      props.names.encoding() ?? 'utf-8',
      (script) => t(`script_${script}`),
      ARCHIVE_ENCODINGS,
    ),
  ];
  const preview = () => {
    const names = props.preview ?? [];
    return names.length > 0 ? { description: t('archive_encoding_names', { names: names.join(', ') }) } : {};
  };
  return (
    <Show when={props.names.is_offered()}>
      <SelectField
        label={t('archive_encoding')}
        value={props.names.encoding() ?? AUTOMATIC}
        options={options()}
        onChange={(chosen) => props.names.setEncoding(chosen === AUTOMATIC ? undefined : chosen)}
        {...preview()}
        {...(props.class === undefined ? {} : { class: props.class })}
      />
    </Show>
  );
}
