import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { framePage, messagePage, pageAddress } from './framePage.ts';
import { type RunningViewer, startViewer } from './startViewer.ts';

const ACTIVE_COLUMN = -1;
/** The viewer keeps its state while another tab is in front. */
const KEPT = { retainContextWhenHidden: true };

/** Called by the editor when a DICOM file is opened, or a command of the extension is used. */
export function activate({ extensionPath, subscriptions }: vscode.ExtensionContext): void {
  const running = new Set<RunningViewer>();

  const start = async (paths: readonly string[]): Promise<RunningViewer> => {
    const memory = vscode.workspace.getConfiguration('negato').get('memory', '');
    const script = join(extensionPath, 'dist', 'negato.js');
    const viewer = await startViewer({ node: process.execPath, script, paths, memory });
    running.add(viewer);
    void viewer.ended.then(() => running.delete(viewer));
    return viewer;
  };

  const fill = async (panel: vscode.WebviewPanel, paths: readonly string[]): Promise<void> => {
    let isClosed = false;
    let viewer: RunningViewer | undefined;
    panel.onDidDispose(() => {
      isClosed = true;
      viewer?.close();
    });
    const tellEnd = async ({ ended }: RunningViewer) => {
      const words = await ended;
      if (!isClosed) panel.webview.html = messagePage(`negato has ended. ${words}`);
    };
    panel.webview.options = { enableScripts: true };
    panel.webview.html = messagePage('negato starts…');
    try {
      viewer = await start(paths);
      if (isClosed) {
        viewer.close();
        return;
      }
      const address = await locate(viewer);
      // In a browser, pages of the editor come from hosts that nobody can name before.
      if (vscode.env.uiKind === vscode.UIKind.Web) {
        await vscode.env.openExternal(vscode.Uri.parse(address));
        panel.webview.html = messagePage(
          'negato is open in another tab of the browser. It ends when this tab is closed.',
        );
      } else panel.webview.html = framePage(address);
      void tellEnd(viewer);
    } catch (error) {
      if (!isClosed) panel.webview.html = messagePage(error instanceof Error ? error.message : String(error));
    }
  };

  const open = async (chosen?: vscode.Uri, selected?: readonly vscode.Uri[]): Promise<void> => {
    const paths = await choosePaths(chosen, selected);
    if (paths.length === 0) return;
    const title = paths.length === 1 ? basename(paths[0] ?? '') : `${paths.length} in negato`;
    await fill(vscode.window.createWebviewPanel('negato.folder', title, ACTIVE_COLUMN, KEPT), paths);
  };

  const openInBrowser = async (chosen?: vscode.Uri, selected?: readonly vscode.Uri[]): Promise<void> => {
    const paths = await choosePaths(chosen, selected);
    if (paths.length === 0) return;
    try {
      await vscode.env.openExternal(vscode.Uri.parse(await locate(await start(paths))));
    } catch (error) {
      await vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    }
  };

  const editor: vscode.CustomReadonlyEditorProvider = {
    openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
    resolveCustomEditor: ({ uri }, panel) => fill(panel, [uri.fsPath]),
  };
  subscriptions.push(
    vscode.commands.registerCommand('negato.open', open),
    vscode.commands.registerCommand('negato.openInBrowser', openInBrowser),
    vscode.window.registerCustomEditorProvider('negato.file', editor, { webviewOptions: KEPT }),
    {
      dispose: () => {
        for (const viewer of running) viewer.close();
      },
    },
  );
}

/** Over Remote-SSH the editor forwards the port, perhaps to another one. */
async function locate({ baseUrl, token }: RunningViewer): Promise<string> {
  const external = await vscode.env.asExternalUri(vscode.Uri.parse(`${baseUrl}/`));
  return pageAddress(external.toString(true), token);
}

/** What is selected in the explorer, or what the user chooses. */
async function choosePaths(chosen?: vscode.Uri, selected?: readonly vscode.Uri[]): Promise<string[]> {
  const given = selected !== undefined && selected.length > 0 ? selected : chosen === undefined ? [] : [chosen];
  const choice = { canSelectFiles: true, canSelectFolders: true, canSelectMany: true, openLabel: 'Open in negato' };
  const uris = given.length > 0 ? given : ((await vscode.window.showOpenDialog(choice)) ?? []);
  return uris.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath);
}
