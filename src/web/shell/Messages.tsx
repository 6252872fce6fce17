import { useMessage } from '../state/messages.ts';
import styles from './Messages.module.css';

/** What a command says of itself, for a few seconds. */
export function Messages() {
  const message = useMessage();
  return (
    <div className={styles.place} role="status">
      {message !== undefined && (
        <p className={styles.message} data-tone={message.tone}>
          {message.text}
        </p>
      )}
    </div>
  );
}
