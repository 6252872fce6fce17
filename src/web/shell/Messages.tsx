import { useMessage } from '../kit/state/messages.ts';
import styles from './Messages.module.css';

/** Shows messages of commands for a few seconds. */
export function Messages() {
  const message = useMessage();
  return (
    <output className={styles.place}>
      {message !== undefined && (
        <span className={styles.message} data-tone={message.tone}>
          {message.text}
        </span>
      )}
    </output>
  );
}
