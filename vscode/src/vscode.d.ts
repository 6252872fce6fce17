/** The part of the editor's interface that the extension uses. */
declare module 'vscode' {
  export type Uri = { readonly scheme: string; readonly fsPath: string; toString(skipEncoding?: boolean): string };
  export const Uri: { parse(text: string): Uri };
  export type Disposable = { dispose(): void };
  export type Webview = { html: string; options: { enableScripts?: boolean } };
  export type WebviewPanel = {
    readonly webview: Webview;
    readonly onDidDispose: (listener: () => void) => Disposable;
  };
  export type CustomDocument = { readonly uri: Uri; dispose(): void };
  export type CustomReadonlyEditorProvider = {
    openCustomDocument(uri: Uri): CustomDocument;
    resolveCustomEditor(document: CustomDocument, panel: WebviewPanel): Promise<void>;
  };
  export type ExtensionContext = { readonly extensionPath: string; readonly subscriptions: Disposable[] };
  export enum UIKind {
    Desktop = 1,
    Web = 2,
  }
  export const env: {
    readonly uiKind: UIKind;
    asExternalUri(uri: Uri): Promise<Uri>;
    openExternal(uri: Uri): Promise<boolean>;
  };
  export const commands: { registerCommand(id: string, run: (...given: never[]) => unknown): Disposable };
  export const window: {
    registerCustomEditorProvider(id: string, provider: CustomReadonlyEditorProvider, options: object): Disposable;
    createWebviewPanel(viewType: string, title: string, column: number, options: object): WebviewPanel;
    showErrorMessage(text: string): Promise<unknown>;
    showOpenDialog(options: object): Promise<Uri[] | undefined>;
  };
  export const workspace: { getConfiguration(section: string): { get<T>(name: string, otherwise: T): T } };
}
