import { useApp } from '../../app/context.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { randomPassword } from './random-password.ts';
import '../../parts/secret.css';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (password: string) => void;
}

/** A password for another user, typed or generated, and shown so that it can be passed on. */
export function GeneratedPassword(props: Props) {
  const { t } = useApp();
  return (
    <div class="field">
      <Field
        label={props.label}
        description={t('password_rule')}
        value={props.value}
        onChange={props.onChange}
        required
        class="field-mono"
        error={props.error}
        input={{ autocomplete: 'off', autocapitalize: 'none', minlength: 8, maxlength: 256 }}
      />
      <div class="copy">
        <button type="button" class="button" onClick={() => props.onChange(randomPassword())}>
          {t('generate_password')}
        </button>
        <CopyButton text={props.value} label={t('copy_password')} />
      </div>
    </div>
  );
}
