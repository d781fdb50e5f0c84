import { createSignal } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { ReasonButton } from '../reason-button.tsx';
import './field.css';

interface Props {
  readonly max_bytes: number;
  /** Error text for a larger file. */
  readonly too_large: string;
  /** Why no file can be chosen. */
  readonly why?: string | undefined;
  readonly disabled?: boolean;
  readonly onText: (text: string) => void;
}

/** Reads a text file in the browser, without uploading it. */
export function FilePicker(props: Props) {
  const { t } = useApp();
  const [problem, setProblem] = createSignal('');
  let picker: HTMLInputElement | undefined;

  async function read(file: File | undefined): Promise<void> {
    if (!file) return;
    setProblem(file.size > props.max_bytes ? props.too_large : '');
    if (file.size > props.max_bytes) return;
    try {
      props.onText(await file.text());
    } catch {
      setProblem(t('file_unreadable', { name: file.name }));
    }
  }

  return (
    <div>
      <input
        ref={picker}
        type="file"
        hidden
        aria-label={t('choose_file')}
        onChange={(event) => {
          void read(event.currentTarget.files?.[0]);
          event.currentTarget.value = ''; // so that choosing the same file again fires `change`
        }}
      />
      <ReasonButton why={props.why} disabled={props.disabled ?? false} onPress={() => picker?.click()}>
        {t('choose_file')}
      </ReasonButton>
      <p class="field-error" role="alert">
        {problem()}
      </p>
    </div>
  );
}
