//! Asks for a video under a key, waits for it, saves it.
//!
//! With the local stack (`cargo xtask dev` prints the address and the key):
//!
//! ```sh
//! AFC_URL=http://127.0.0.1:… AFC_KEY=afc_… cargo run -p afc-client --example generate
//! ```

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use afc_client::{ChainStep, Client, Created, Generation, GenerationRequest, IdempotencyKey, Status};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (url, key) = (std::env::var("AFC_URL")?, std::env::var("AFC_KEY")?);
    let made = generate(&url, &key, "film-7/shot-42/take-3", Path::new("take-3.mp4")).await?;
    println!("{} cost {} US dollars", made.value.id, made.value.cost.priced);
    Ok(())
}

/// The video that `wish` names, in `file`. Called again, after a crash too, it is the same video: paid once.
pub async fn generate(
    url: &str,
    key: &str,
    wish: &str,
    file: &Path,
) -> Result<Created<Generation>, Box<dyn Error>> {
    let afc = Client::new(url, key)?;
    let mut request = GenerationRequest::video(
        format!("{wish}: a lighthouse in fog, slow dolly in"),
        [ChainStep::new("fal", "fal-ai/veo3.1"), ChainStep::new("fal", "fal-ai/ltx-2/text-to-video/fast")],
    );
    request.input.duration_seconds = Some(8);
    request.max_cost = Some("8.00".to_owned());
    request.project = Some("film-7".to_owned());

    let made = afc.create_generation(&request, &IdempotencyKey::new(wish)?).await?;
    let ended = afc.wait_for_generation(made.value.id, Duration::from_mins(10)).await?;
    if ended.status != Status::Succeeded {
        return Err(format!("{} {:?}: {:?}", ended.id, ended.status, ended.error).into());
    }
    afc.download(ended.id, 0, &mut tokio::fs::File::create(file).await?).await?;
    Ok(Created { value: ended, replayed: made.replayed })
}
