//! Apps of XXL-JOB's executors.

use super::{Client, ClientError, Precondition};
use crate::{
    XxlApp, XxlAppChange, XxlAppSpec, XxlGlueChange, XxlGlueHistory, XxlGlueRollback, XxlGlueVersion, XxlInstance,
    XxlTokenRotation, routes,
};

impl Client {
    /// Lists the apps, by name.
    pub async fn xxl_apps(&self) -> Result<Vec<XxlApp>, ClientError> {
        self.get(routes::XXL_APPS, &()).await
    }

    /// Makes an app. The answer has its token.
    pub async fn create_xxl_app(&self, spec: &XxlAppSpec) -> Result<XxlApp, ClientError> {
        self.post(routes::XXL_APPS, spec, &()).await
    }

    /// Returns an app with its executors.
    pub async fn xxl_app(&self, name: &str) -> Result<XxlApp, ClientError> {
        self.get(&routes::path(routes::XXL_APP, &[name]), &()).await
    }

    /// Changes an app.
    pub async fn change_xxl_app(&self, name: &str, change: &XxlAppChange) -> Result<XxlApp, ClientError> {
        self.post(&routes::path(routes::XXL_APP, &[name]), change, &()).await
    }

    /// Replaces the token of an app. The answer has it.
    pub async fn rotate_xxl_token(&self, name: &str, rotation: &XxlTokenRotation) -> Result<XxlApp, ClientError> {
        self.post(&routes::path(routes::XXL_APP_TOKEN, &[name]), rotation, &()).await
    }

    /// Deletes an app: its executors are not called any more, and cannot connect.
    pub async fn delete_xxl_app(&self, name: &str) -> Result<(), ClientError> {
        self.delete(&routes::path(routes::XXL_APP, &[name]), Precondition::None, &()).await
    }

    /// Lists the executors of all apps, by app and address.
    pub async fn xxl_instances(&self) -> Result<Vec<XxlInstance>, ClientError> {
        self.get(routes::XXL_INSTANCES, &()).await
    }

    /// Lists the versions of the script of a job without their sources, newest first.
    pub async fn xxl_glue(&self, namespace: &str, job: &str) -> Result<Vec<XxlGlueVersion>, ClientError> {
        self.get(&routes::path(routes::XXL_GLUE, &[namespace, job]), &()).await
    }

    /// Returns a version of the script of a job with its source.
    pub async fn xxl_glue_version(
        &self,
        namespace: &str,
        job: &str,
        version: u32,
    ) -> Result<XxlGlueVersion, ClientError> {
        let version = version.to_string();
        self.get(&routes::path(routes::XXL_GLUE_VERSION, &[namespace, job, &version]), &()).await
    }

    /// Gives a job another script.
    pub async fn set_xxl_glue(
        &self,
        namespace: &str,
        job: &str,
        change: &XxlGlueChange,
    ) -> Result<XxlGlueVersion, ClientError> {
        self.post(&routes::path(routes::XXL_GLUE, &[namespace, job]), change, &()).await
    }

    /// Makes an older version of the script of a job the current one, as a new version. The precondition is of the job: with the version
    /// that was looked at, no script is replaced that was saved since.
    pub async fn roll_back_xxl_glue(
        &self,
        namespace: &str,
        job: &str,
        version: u32,
        rollback: &XxlGlueRollback,
        precondition: Precondition,
    ) -> Result<XxlGlueVersion, ClientError> {
        let version = version.to_string();
        let path = routes::path(routes::XXL_GLUE_ROLLBACK, &[namespace, job, &version]);
        self.post_if(&path, rollback, precondition, &()).await
    }

    /// Adds versions that XXL-JOB kept of the script of a job, before those that are there.
    pub async fn add_xxl_glue_history(
        &self,
        namespace: &str,
        job: &str,
        history: &XxlGlueHistory,
    ) -> Result<Vec<XxlGlueVersion>, ClientError> {
        self.post(&routes::path(routes::XXL_GLUE_HISTORY, &[namespace, job]), history, &()).await
    }
}
