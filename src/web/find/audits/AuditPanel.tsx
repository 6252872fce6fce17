/* oxlint-disable jsx-a11y/prefer-tag-over-role -- icons are drawn in the page */
import { CircleAlert, Download, Info, Play, Square, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { AUDIT_NAMES, type AuditFinding, type AuditName, type AuditResponse } from '../../../shared/contract/audits.ts';
import { findFile, stackOf } from '../../kit/state/library.ts';
import { say } from '../../kit/state/messages.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import { download } from '../../kit/ui/download.ts';
import { groupDigits } from '../../kit/ui/groupDigits.ts';
import { PanelMessage } from '../../kit/ui/PanelMessage.tsx';
import { ToolButton } from '../../kit/ui/ToolButton.tsx';
import { formatCount } from '../../show/series/describeFile.ts';
import { useQuery } from '../cohort/query.ts';
import { openNode } from '../files/openNode.ts';
import styles from './AuditPanel.module.css';
import {
  type AuditState,
  auditsOf,
  cancelAudits,
  type FindingGroup,
  groupFindings,
  runAudits,
  useAudits,
} from './audits.ts';

const NAMES: Readonly<Record<AuditName, readonly [title: string, about: string]>> = {
  geometry: ['Geometry', 'gaps, duplicates and distances of slices'],
  protocol: ['Protocol', 'series that differ from others of their protocol'],
  duplicates: ['Duplicates', 'copies, and different objects with one UID'],
  completeness: ['Completeness', 'objects that name others which are not there'],
  identifiers: ['Identifiers', 'elements, texts and paths that can identify people'],
  'burned-in': ['Burned-in text', 'images whose headers hint at text in the pixels'],
  readable: ['Readable', 'decodes every frame, which takes long'],
};

/** Looks at all files together, and lists what is odd about them. */
export function AuditPanel() {
  const outcomes = useAudits((state) => state.outcomes);
  return (
    <div className={styles.panel}>
      <Choice />
      <div className={styles.results} tabIndex={-1}>
        {outcomes.size === 0 && (
          <PanelMessage>
            An audit reads the headers of all files that the condition chooses, and changes nothing. It says what it
            looked at and what it found: that it found nothing does not mean that there is nothing to find.
          </PanelMessage>
        )}
        {AUDIT_NAMES.flatMap((name) => {
          const outcome = outcomes.get(name);
          return outcome === undefined ? [] : <Audit key={name} name={name} outcome={outcome} />;
        })}
      </div>
    </div>
  );
}

function Choice() {
  const page = usePage();
  const { chosen, showsValues, comparesPixels, isRunning, outcomes } = useAudits((state) => state);
  const where = useQuery((query) => query.where);
  const choose = (name: AuditName, isOn: boolean) => {
    const next = new Set(chosen);
    if (isOn) next.add(name);
    else next.delete(name);
    auditsOf(page).setState({ chosen: next });
  };
  const done = [...outcomes.values()].filter(({ status }) => status === 'done' || status === 'failed').length;
  const answers = [...outcomes.values()].flatMap((one) => (one.status === 'done' ? one.answer : []));
  return (
    <fieldset className={styles.choice}>
      <legend>Audits{where.trim() === '' ? '' : ' of the files that meet the condition'}</legend>
      {AUDIT_NAMES.map((name) => (
        <label key={name} className={styles.name} aria-label={NAMES[name][0]}>
          <input type="checkbox" checked={chosen.has(name)} onChange={({ target }) => choose(name, target.checked)} />
          <span>
            <b>{NAMES[name][0]}</b> <small>{NAMES[name][1]}</small>
          </span>
        </label>
      ))}
      <label className={styles.option}>
        <input
          type="checkbox"
          checked={showsValues}
          onChange={({ target }) => auditsOf(page).setState({ showsValues: target.checked })}
        />
        Show identifying values
      </label>
      <label className={styles.option}>
        <input
          type="checkbox"
          checked={comparesPixels}
          onChange={({ target }) => auditsOf(page).setState({ comparesPixels: target.checked })}
        />
        Compare the pixels of all files
      </label>
      <div className={styles.actions}>
        {isRunning ? (
          <>
            <button type="button" className={styles.run} onClick={() => cancelAudits(page)}>
              <Square size={14} aria-hidden="true" />
              Cancel
            </button>
            <progress aria-label="Audits that have ended" value={done} max={outcomes.size} />
          </>
        ) : (
          <button
            type="button"
            className={styles.run}
            disabled={chosen.size === 0}
            onClick={() => void runAudits(page, where)}
          >
            <Play size={14} aria-hidden="true" />
            Run
          </button>
        )}
        {answers.length > 0 && (
          <ToolButton label="Download as JSON" onClick={() => save(answers)}>
            <Download size={16} aria-hidden="true" />
          </ToolButton>
        )}
      </div>
    </fieldset>
  );
}

function save(audits: readonly AuditResponse[]): void {
  download(new Blob([JSON.stringify({ audits }, undefined, 2)], { type: 'application/json' }), 'negato-audit.json');
}

function Audit({ name, outcome }: { readonly name: AuditName; readonly outcome: AuditState }) {
  const [title] = NAMES[name];
  return (
    <section className={styles.audit} aria-label={title}>
      <h3>
        {title} <output>{describeOutcome(outcome)}</output>
      </h3>
      {outcome.status === 'failed' && <PanelMessage tone="danger">{outcome.message}</PanelMessage>}
      {outcome.status === 'done' && (
        <>
          {groupFindings(outcome.answer.findings).map((group) => (
            <Group key={group.code} group={group} />
          ))}
        </>
      )}
    </section>
  );
}

function describeOutcome(outcome: AuditState): string {
  if (outcome.status !== 'done') return { waiting: 'waits', running: 'is running…', failed: 'failed' }[outcome.status];
  const { total, files, unread, is_complete: isComplete, findings } = outcome.answer;
  return [
    total === 0 ? 'nothing found' : formatCount(total, 'finding'),
    `in ${formatCount(files, 'file')}`,
    ...(unread > 0 ? [`${groupDigits(unread)} could not be read`] : []),
    ...(findings.length < total ? [`the first ${groupDigits(findings.length)} are listed`] : []),
    ...(isComplete ? [] : ['not everything was looked at']),
    ...(outcome.where.trim() === '' ? [] : [`where ${outcome.where}`]),
  ].join(', ');
}

const LEVELS = { info: Info, warning: TriangleAlert, error: CircleAlert };

/** Findings that are drawn at first, and more with each click: there may be thousands. */
const AT_ONCE = 50;

function Group({ group: { code, title, level, findings } }: { readonly group: FindingGroup }) {
  const [shown, setShown] = useState(AT_ONCE);
  const [isOpen, setOpen] = useState(level === 'error');
  const Icon = LEVELS[level];
  return (
    <details className={styles.group} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Icon size={15} className={styles[level]} role="img" aria-label={level} />
        <span>{title}</span> <code>{code}</code> <b>{groupDigits(findings.length)}</b>
      </summary>
      {isOpen && (
        <>
          <ul>
            {findings.slice(0, shown).map((finding, n) => (
              <Finding key={n} finding={finding} />
            ))}
          </ul>
          {findings.length > shown && (
            <button type="button" className={styles.more} onClick={() => setShown(shown + 10 * AT_ONCE)}>
              {groupDigits(findings.length - shown)} more
            </button>
          )}
        </>
      )}
    </details>
  );
}

const FIRST_FILES = 3;

function Finding({ finding: { level, unit, files, message } }: { readonly finding: AuditFinding }) {
  const page = usePage();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? files : files.slice(0, FIRST_FILES);
  const Icon = LEVELS[level];
  return (
    <li className={styles.finding}>
      <p>
        <Icon size={13} className={styles[level]} role="img" aria-label={level} /> <b>{unit.name}</b> {message}
      </p>
      {files.length > 0 && (
        <p className={styles.files}>
          {shown.map(({ file_index: index, path }) => (
            <button key={index} type="button" title={path} onClick={() => openFile(page, index)}>
              {shorten(path)}
            </button>
          ))}
          {shown.length < files.length && (
            <button type="button" className={styles.more} onClick={() => setWhole(true)}>
              {files.length - shown.length} more files
            </button>
          )}
        </p>
      )}
    </li>
  );
}

/** The last parts of a path, which tell files of one cohort apart. */
function shorten(path: string): string {
  const parts = path.split('/');
  return parts.length > 3 ? `…/${parts.slice(-2).join('/')}` : path;
}

function openFile(page: Page, index: number): void {
  const file = findFile(page, index);
  if (file === undefined) say(page, 'The list of files has not come to this file yet.', 'failed');
  else openNode(page, { stackId: stackOf(page, file).id, fileIndex: file.index });
}
