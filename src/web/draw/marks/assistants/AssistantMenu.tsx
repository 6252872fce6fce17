import { Bot } from 'lucide-react';
import { useEffect } from 'react';
import { useAssistantNews } from '../../../kit/state/assistantNews.ts';
import { usePage } from '../../../kit/state/page.ts';
import { useTools } from '../../../kit/state/tools.ts';
import { Menu } from '../../../kit/ui/Menu.tsx';
import {
  assistantsOf,
  chooseAssistant,
  chosenAssistant,
  loadAssistants,
  NO_ASSISTANT,
  useAssistants,
} from './assistants.ts';
import styles from './AssistantMenu.module.css';

/** Which assistant a press asks, and what presses and drags mean for it. */
export function AssistantMenu({ name }: { readonly name: string | undefined }) {
  const isOn = useTools(({ tool }) => tool === 'assistant');
  return (
    <Menu
      label="Assistant"
      isOn={isOn}
      face={
        <>
          <Bot size={17} aria-hidden="true" /> {name}
        </>
      }
    >
      {(close) => <AssistantLines onChosen={close} />}
    </Menu>
  );
}

export function AssistantLines({ onChosen }: { readonly onChosen: () => void }) {
  const page = usePage();
  const news = useAssistantNews();
  const list = useAssistants((state) => state.list);
  const problem = useAssistants((state) => state.problem);
  const chosen = useAssistants((state) => chosenAssistant(state)?.id);
  const isOn = useTools(({ tool }) => tool === 'assistant');
  const drag = useAssistants((state) => state.drag);
  const isOutside = useAssistants((state) => state.isOutside);
  const isRefining = useAssistants((state) => state.isRefining);
  const takesMasks = useAssistants((state) => chosenAssistant(state)?.prompts.includes('mask') === true);
  // Also when it is opened: one that was not reachable may be there now.
  useEffect(() => {
    if (news >= 0) void loadAssistants(page);
  }, [page, news]);
  const set = (changed: { drag: 'scribble' | 'box' } | { isOutside: boolean } | { isRefining: boolean }) => {
    assistantsOf(page).setState(changed);
    onChosen();
  };
  return (
    <div role="menu" aria-label="Assistant" className={styles.lines}>
      {list.map(({ id, name, problem: why }) => (
        <Choice
          key={id}
          title={name}
          note={why ?? undefined}
          isOn={isOn && id === chosen}
          onClick={() => {
            chooseAssistant(page, id);
            onChosen();
          }}
        />
      ))}
      {list.length === 0 && <p className={styles.note}>{problem ?? NO_ASSISTANT}</p>}
      <hr className={styles.line} />
      <Choice title="A drag is a scribble" isOn={drag === 'scribble'} onClick={() => set({ drag: 'scribble' })} />
      <Choice title="A drag is a box" isOn={drag === 'box'} onClick={() => set({ drag: 'box' })} />
      <hr className={styles.line} />
      <Choice title="Point at what is inside" isOn={!isOutside} onClick={() => set({ isOutside: false })} />
      <Choice title="Point at what is outside" isOn={isOutside} onClick={() => set({ isOutside: true })} />
      {takesMasks && (
        <>
          <hr className={styles.line} />
          <Choice title="Add to the mask" isOn={!isRefining} onClick={() => set({ isRefining: false })} />
          <Choice
            title="Begin from the selected mask, and replace it"
            isOn={isRefining}
            onClick={() => set({ isRefining: true })}
          />
        </>
      )}
    </div>
  );
}

type ChoiceProps = {
  readonly title: string;
  readonly note?: string | undefined;
  readonly isOn: boolean;
  readonly onClick: () => void;
};

function Choice({ title, note, isOn, onClick }: ChoiceProps) {
  return (
    <button type="button" role="menuitemradio" aria-checked={isOn} className={styles.choice} onClick={onClick}>
      {title}
      {note !== undefined && <span className={styles.why}>{note}</span>}
    </button>
  );
}
