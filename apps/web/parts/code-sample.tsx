import { CopyButton } from './copy-button.tsx';
import './code-sample.css';

interface Props {
  readonly code: string;
  readonly copy_label: string;
}

/** Code to copy. */
export function CodeSample(props: Props) {
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
      <pre class="code-sample" tabIndex={0}>
        {props.code}
      </pre>
      <CopyButton text={props.code} label={props.copy_label} />
    </div>
  );
}
